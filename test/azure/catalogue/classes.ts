import type { AzureSection } from './azureLine.ts'

const STATUS = 'shared/engine/status/classStatus.test.ts'
const VERSIONS = 'shared/engine/status/classVersions.test.ts'
const PROVIDER = 'test/azure/cloudProvider.test.ts'
const LAUNCH = 'shared/engine/lifecycle/launch.test.ts'
const HASH = 'shared/model/driftHash.test.ts'
const NODE_CLASS_CASES = 'test/schema/cases/nodeClassCases.ts'
const DRIFT = 'test/scenarios/disruption/driftReasonScenarios.ts'
const NEW_VERSIONS = 'test/crash/newVersions.test.ts'
const GARBAGE = 'shared/flows/sweep/collectGarbage.test.ts'
const AGE = 'shared/flows/sweep/garbageAge.test.ts'
const ORPHAN = 'shared/flows/sweep/endOrphan.test.ts'
const UPDATE = 'shared/flows/sweep/updateTags.test.ts'
const TAGS = 'test/azure/tags.test.ts'
const MACHINE_TAGS = 'shared/model/instance.test.ts'
const FACTS = 'test/azure/clusterFacts.test.ts'

const NO_WINDOW =
  'AKS writes the ConfigMap of the window for its own Karpenter alone; new nodes take new images when they are known, and budgets with a schedule keep old nodes until a window opens'

/** The status of a class, its drift, and what happens to its machines later. */
export const CLASSES: readonly AzureSection[] = [
  {
    about: 'the status of a class',
    kinds: { NS: 13 },
    rows: [
      {
        lines: 'NS-01 NS-02',
        is: 'done',
        shown: { [VERSIONS]: ['names the version and the images of new nodes, and is not written again'] },
      },
      {
        lines: 'NS-03',
        is: 'differs',
        why: 'the reason is ImagesNotFound, and its message names FIPS and the shared gallery',
        shown: { 'shared/adapters/azure/sizes/servedSizes.test.ts': ['not where shared galleries have its images'] },
      },
      {
        lines: 'NS-04 NS-05 NS-06',
        is: 'differs',
        why: NO_WINDOW,
        shown: {
          [NEW_VERSIONS]: ['F40 that comes at noon moves no node before the window'],
          'shared/engine/disruption/budgets/allowance.test.ts': ['BG-06 nothing with a schedule that nobody can read'],
        },
      },
      {
        lines: 'NS-07',
        is: 'done',
        shown: {
          [STATUS]: ['with something that is no subnet is not ready'],
          [PROVIDER]: [
            'is looked for once in a while, whether it is there or not',
            'has to be in the network of the cluster',
            'NS-07 is not beside that of AKS in the network that AKS made',
          ],
        },
      },
      {
        lines: 'NS-08',
        is: 'done',
        shown: {
          'test/azure/diskEncryption.test.ts': [
            'is read once an hour where it can be read',
            'is looked for each minute, and serves again once',
          ],
          'test/crash/diskEncryption.test.ts': ['pods get one within minutes once the right is given'],
          [STATUS]: ['NS-08 whose disks cannot be encrypted says so'],
        },
      },
      {
        lines: 'NS-09',
        is: 'differs',
        why: 'Preferred does not turn local DNS on, as with the threshold 1.99.0 of the provider, so no policy or DaemonSet of the cluster is looked at; Required is refused where nodes cannot have it',
        shown: {
          [STATUS]: [
            'NS-09 names the state of local DNS, and is not written again',
            'NS-09 keeps local DNS on where it is on and only preferred',
          ],
          'shared/model/nodeClass.test.ts': ['with mode %s, where the status says nothing, Disabled and Enabled'],
          'test/azure/localDnsBoot.test.ts': ['a class is refused by name, and no machine is made'],
        },
      },
      {
        lines: 'NS-10',
        is: 'done',
        shown: { [LAUNCH]: ['NS-10: whether its class is ready after its latest change', 'NS-10: the Kubernetes version of its class'] },
      },
      {
        lines: 'NS-11',
        is: 'differs',
        why: 'the hash stands on claims alone, and each decision works out that of the class',
        shown: { [HASH]: ['does not change with tags', 'does not change with the order of a list'] },
      },
      {
        lines: 'NS-12',
        is: 'done',
        shown: {
          'shared/engine/status/decideStatus.test.ts': ['stays while NodeClaims refer to the class', 'goes once no NodeClaim refers'],
          'test/crash/everyWriteOfClasses.test.ts': ['the class of running machines is deleted'],
          'test/e2e/classFinalizer.test.ts': ['NS-12 waits for its last NodeClaim, then goes'],
        },
      },
      { lines: 'NS-13', is: 'done', shown: { 'test/schema/contract.test.ts': ['all published definitions are ours too'] } },
    ],
  },
  {
    about: 'rules of the definitions',
    kinds: { CV: 9 },
    rows: [
      {
        lines: 'CV-01 CV-02 CV-03 CV-04 CV-05 CV-06 CV-07 CV-08',
        is: 'done',
        shown: {
          [NODE_CLASS_CASES]: ['FIPS on the default image', 'spec.kubelet.failSwapOn'],
          'test/schema/contract.test.ts': ['is the published definition'],
        },
      },
      {
        lines: 'CV-09',
        is: 'done',
        shown: {
          'test/schema/contract.test.ts': ['has a rule wherever the definition of ${version} has one'],
          'test/schema/manifests.test.ts': ['has an accept and a refusal of ${definition.kind}'],
        },
      },
    ],
  },
  {
    about: 'drift',
    kinds: { DR: 9 },
    rows: [
      {
        lines: 'DR-01 DR-02 DR-07',
        is: 'done',
        shown: { [DRIFT]: ['a node that was made from what new nodes get has not drifted', 'the spec of its class comes before all else'] },
      },
      {
        lines: 'DR-03',
        is: 'differs',
        why: 'a claim without a machine waits, in place of an error',
        shown: { [LAUNCH]: ['NS-10: whether its class is ready after its latest change'] },
      },
      {
        lines: 'DR-04 DR-05',
        is: 'done',
        shown: { [NEW_VERSIONS]: ['stands in the status of the class, and each node is replaced once'] },
      },
      { lines: 'DR-06', is: 'done', shown: { 'test/crash/kubeletIdentity.test.ts': ['DR-06 replaces each node once'] } },
      { lines: 'DR-08', is: 'notOurs', why: 'it is about the machines of AKS, which Joiner does not make' },
      {
        lines: 'DR-09',
        is: 'done',
        shown: {
          [DRIFT]: ['where the identity of the cluster is not known, no node drifts by it'],
          [HASH]: ['PN-03 does not change with'],
        },
      },
    ],
  },
  {
    about: 'garbage and deletion',
    kinds: { GC: 10 },
    rows: [
      {
        lines: 'GC-01 GC-03',
        is: 'done',
        shown: { [AGE]: ['what nobody owns'], 'test/crash/everyArmCall.test.ts': ['its claim is taken away by force'] },
      },
      { lines: 'GC-02', is: 'done', shown: { [ORPHAN]: ['has its node held, closed and deleted, then its pods evicted'] } },
      { lines: 'GC-04', is: 'done', shown: { [GARBAGE]: ['is never the machine or the interface of a claim that exists'] } },
      {
        lines: 'GC-05',
        is: 'done',
        shown: { [PROVIDER]: ['is found, ended with its claim, and none of those that garbage collection may end'] },
      },
      { lines: 'GC-06', is: 'done', shown: { [AGE]: ['is one of a hundred, all of which end after one sweep'] } },
      {
        lines: 'GC-07 GC-08',
        is: 'done',
        shown: {
          [PROVIDER]: [
            'are those of this cluster without a machine, and can be deleted',
            'ends machine, disk and interface, and says gone once they are',
          ],
        },
      },
      { lines: 'GC-09', is: 'notOurs', why: 'it is about the machines of AKS, which Joiner does not make' },
      { lines: 'GC-10', is: 'done', shown: { [PROVIDER]: ['is gone at once for a machine that never was, and may be asked again'] } },
    ],
  },
  {
    about: 'updates in place',
    kinds: { IU: 10 },
    rows: [
      {
        lines: 'IU-01',
        is: 'done',
        shown: {
          [UPDATE]: ['IU-01 follow those of the settings, too'],
          [MACHINE_TAGS]: ['IU-01, IU-04 are those of the class over those of the settings'],
        },
      },
      { lines: 'IU-02 IU-09', is: 'done', shown: { [MACHINE_TAGS]: ['IU-02, IU-09 are the same text in any order'] } },
      {
        lines: 'IU-03',
        is: 'differs',
        why: 'tags alone change in place: identities of machines are settings of the app',
        shown: { [TAGS]: ['IU-03, IU-08 change on machine, interface and disk'] },
      },
      {
        lines: 'IU-04',
        is: 'done',
        shown: {
          [UPDATE]: ['IU-04, IU-08 follow those of the class'],
          [MACHINE_TAGS]: ['loses no tag that is wanted or of somebody else'],
        },
      },
      { lines: 'IU-05', is: 'done', shown: { [UPDATE]: ['IU-05 that are right already cost no call of Azure'] } },
      {
        lines: 'IU-06',
        is: 'differs',
        why: 'the timer looks at all claims, so nothing has to be queued again',
        shown: { [UPDATE]: ['change for some machines in a run, and for each of them within a few runs'] },
      },
      {
        lines: 'IU-07',
        is: 'differs',
        why: 'a machine that is gone is no failure: its claim ends',
        shown: {
          [UPDATE]: ['IU-07 of a machine that is gone are no failure'],
          [TAGS]: ['IU-07 of a machine that is not there are no failure'],
        },
      },
      {
        lines: 'IU-08',
        is: 'done',
        shown: { [TAGS]: ['IU-03, IU-08 change on machine, interface and disk'], 'test/crash/everyArmCall.test.ts': ['with its tags'] },
      },
      { lines: 'IU-10', is: 'notOurs', why: 'it is about the machines of AKS, which Joiner does not make' },
    ],
  },
  {
    about: 'facts of the cluster, and settings',
    kinds: { LP: 1, NG: 1, ZP: 1, SN: 1, MV: 1, OP: 1, AU: 1 },
    rows: [
      {
        lines: 'LP-01',
        is: 'done',
        shown: {
          [FACTS]: ['have the pools of the load balancer that a machine joins, without those of addresses and of the other family'],
        },
      },
      {
        lines: 'NG-01',
        is: 'differs',
        why: 'of several none is taken, and no machine is made; of none nodes boot without one, so that is no error',
        shown: {
          [FACTS]: ['NG-01 name the security groups if there are several that AKS may have made', 'with the network that AKS made'],
        },
      },
      { lines: 'ZP-01', is: 'notOurs', why: 'zones come with the sizes of the region, and no other list of zones is asked for' },
      { lines: 'SN-01', is: 'done', shown: { 'shared/adapters/azure/machines/subnetId.test.ts': ['SN-01: the id of a subnet'] } },
      {
        lines: 'MV-01',
        is: 'done',
        shown: {
          'shared/model/nodeClass.test.ts': ['a subnet that AKS made', 'is aks-subnet of its network in the group of the nodes'],
          'shared/wire/clusterEntry.test.ts': ['has interfaces that name the group of AKS only in a network that is not of AKS'],
        },
      },
      { lines: 'OP-01', is: 'done', shown: { 'shared/wire/clusterEntry.test.ts': ['refuses %s and names the place'] } },
      { lines: 'AU-01', is: 'notOurs', why: 'the app has no environment file: it runs on Azure with a managed identity' },
    ],
  },
]
