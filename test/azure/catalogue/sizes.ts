import type { AzureSection } from './azureLine.ts'

const TYPES = 'shared/adapters/azure/sizes/instanceTypes.test.ts'
const SIZE = 'shared/adapters/azure/sizes/size.test.ts'
const DISK = 'shared/adapters/azure/sizes/ephemeralDisk.test.ts'
const CAPACITY = 'shared/adapters/azure/sizes/capacity.test.ts'
const BODY = 'shared/adapters/azure/machines/machineBody.test.ts'
const CATALOG = 'test/azure/catalog.test.ts'
const BODIES = 'test/azure/requestBodies.test.ts'

/** Sizes, their disks, and the places where they are sold. */
export const SIZES: readonly AzureSection[] = [
  {
    about: 'sizes that serve',
    kinds: { IT: 33 },
    rows: [
      {
        lines: 'IT-01 IT-02 IT-03',
        is: 'done',
        shown: { [SIZE]: ['lose A0, B1s, DC8s_v3 and M8-2ms', 'is left out by the rule', 'is named by each rule that there is'] },
      },
      { lines: 'IT-04 IT-05', is: 'done', shown: { [TYPES]: ['Azure Linux: only GPUs it has drivers for'] } },
      { lines: 'IT-06 IT-07', is: 'done', shown: { [TYPES]: ['by default: no GPU without a driver'] } },
      { lines: 'IT-08', is: 'done', shown: { [TYPES]: ['without drivers: every GPU'] } },
      {
        lines: 'IT-09 IT-10',
        is: 'done',
        shown: { [TYPES]: ['encryption at host: only where it is supported', 'encryption at host refused: it does not matter'] },
      },
      { lines: 'IT-11', is: 'done', shown: { [TYPES]: ['trusted launch: second generation that is not barred'] } },
      {
        lines: 'IT-12 IT-14',
        is: 'done',
        shown: { [TYPES]: ['local DNS: four CPUs at least', 'local DNS only preferred: no rule', 'local DNS off: no rule'] },
      },
      {
        lines: 'IT-13 IT-15',
        is: 'done',
        shown: { [CATALOG]: ['IT-13, IT-15 has another list for one class as local DNS is turned on and off, by its spec or its status'] },
      },
      { lines: 'IT-16', is: 'done', shown: { [TYPES]: ['artifact streaming: no arm64'] } },
      { lines: 'IT-17', is: 'done', shown: { [TYPES]: ['IT-17 have no spot where the size is not sold as spot'] } },
      {
        lines: 'IT-18 IT-19',
        is: 'differs',
        why: 'a size without a price has none, and comes last, in place of a price that stands for unknown',
        shown: {
          [TYPES]: ['at the published price or at none'],
          'shared/engine/launch/planLaunch.test.ts': ['an unknown price comes last'],
        },
      },
      {
        lines: 'IT-20',
        is: 'differs',
        why: 'the lists are readonly in their types, so no caller can change them',
        shown: { [CATALOG]: ['answers the same list until something changed'] },
      },
      { lines: 'IT-21 IT-26', is: 'done', shown: { [TYPES]: ['has a requirement for every well-known label that a size can decide'] } },
      {
        lines: 'IT-22 IT-23',
        is: 'done',
        shown: {
          [TYPES]: [
            'IT-22 has labels that are true or false, and nothing else',
            'IT-23 have ultra disks in some zones, and the size says both',
          ],
        },
      },
      { lines: 'IT-24', is: 'done', shown: { [TYPES]: ['IT-24 has CPUs, memory, a disk and pods'] } },
      {
        lines: 'IT-25',
        is: 'done',
        shown: { 'test/azure/plannedLines.test.ts': ['IT-25 have a machine for a pod for each value of each well-known label'] },
      },
      {
        lines: 'IT-27',
        is: 'done',
        shown: {
          [TYPES]: ['says what its name and capabilities say'],
          'shared/adapters/azure/sizes/sizeName.test.ts': ['reads all 1502 published names'],
        },
      },
      { lines: 'IT-28 IT-29', is: 'done', shown: { [TYPES]: ['takes its pods from the class, else from the network plugin'] } },
      { lines: 'IT-30', is: 'done', shown: { [CATALOG]: ['says so when it has nothing and cannot get anything'] } },
      {
        lines: 'IT-31 IT-32',
        is: 'done',
        shown: { [CATALOG]: ['fetches again only what is due', 'keeps what it has when one part cannot be fetched'] },
      },
      { lines: 'IT-33', is: 'done', shown: { [CATALOG]: ['become the region (skipped without ../shared/data)'] } },
    ],
  },
  {
    about: 'what is reserved, and disks',
    kinds: { OV: 4, ED: 11 },
    rows: [
      {
        lines: 'OV-01 OV-02 OV-03',
        is: 'done',
        shown: { [CAPACITY]: ['before Kubernetes 1.29', 'follows the brackets between published sizes'] },
      },
      { lines: 'OV-04', is: 'notOurs', why: 'the round trip is for the bootstrapping service, which Joiner does not ask' },
      { lines: 'ED-01', is: 'done', shown: { [DISK]: ['agrees with the published sizes'] } },
      { lines: 'ED-02 ED-11', is: 'done', shown: { [DISK]: ['is in the first place that it fits in'] } },
      { lines: 'ED-03', is: 'done', shown: { [DISK]: ['is in the cache when NVMe is not offered for it'] } },
      { lines: 'ED-04', is: 'done', shown: { [DISK]: ['is in the cache before the temporary disk'] } },
      {
        lines: 'ED-05',
        is: 'differs',
        why: 'a disk that is too large for the cache goes to the temporary disk if it fits there, not to a managed disk',
        shown: { [DISK]: ['goes to the larger temporary disk when the cache is too small'] },
      },
      {
        lines: 'ED-06',
        is: 'done',
        shown: { [BODIES]: ['is in its zone, spot, with an ephemeral disk in the place its size has for it'] },
      },
      { lines: 'ED-07 ED-08', is: 'done', shown: { [TYPES]: ['%s are had by the size of their ephemeral disk', "'ED-07', 'Gt'"] } },
      { lines: 'ED-09 ED-10', is: 'done', shown: { 'test/azure/cloudProvider.test.ts': ['of %s GB is where it fits in a D8ds_v5'] } },
    ],
  },
  {
    about: 'zones and offerings',
    kinds: { ZO: 12 },
    rows: [
      { lines: 'ZO-01 ZO-03', is: 'done', shown: { [BODIES]: ['is in its zone, spot, with an ephemeral disk'] } },
      { lines: 'ZO-02', is: 'done', shown: { [BODY]: ['ZO-02, ZO-04 has a zone only if it is to be in one'] } },
      { lines: 'ZO-04 ZO-05', is: 'done', shown: { [TYPES]: ['ZO-04, ZO-05 are without a zone only where the size has no zones'] } },
      { lines: 'ZO-06', is: 'done', shown: { [TYPES]: ['is offered in each zone and in none, on demand and spot'] } },
      { lines: 'ZO-07', is: 'done', shown: { 'shared/engine/launch/planLaunch.test.ts': ['requirements of the claim choose'] } },
      {
        lines: 'ZO-08',
        is: 'done',
        shown: { 'shared/engine/launch/planLaunch.test.ts': ['ZO-08: a claim that names all zones gets no machine without a zone'] },
      },
      {
        lines: 'ZO-09',
        is: 'done',
        shown: { 'test/scenarios/zonalSpread.ts': ['F44 the zone of regional machines is no domain where the pool excludes it'] },
      },
      {
        lines: 'ZO-10',
        is: 'differs',
        why: 'of several zones the first is taken, and the region is that of the cluster: an error would stop the list of all machines',
        shown: { 'shared/adapters/azure/machines/instanceOf.test.ts': ['ZO-10: the zone of a machine', 'is the first of several'] },
      },
      { lines: 'ZO-11', is: 'done', shown: { 'shared/engine/launch/planLaunch.test.ts': ['gives each candidate the labels it fixes'] } },
      {
        lines: 'ZO-12',
        is: 'done',
        shown: { 'shared/model/requirements.test.ts': ['reads the empty zone of the disk driver as the zone of regional nodes'] },
      },
    ],
  },
]
