import type { AzureSection } from './azureLine.ts'

const CAPACITY = 'shared/adapters/azure/sizes/capacity.test.ts'
const TYPES = 'shared/adapters/azure/sizes/instanceTypes.test.ts'
const FIELDS = 'test/azure/classFields.test.ts'
const BOOT = 'shared/adapters/azure/bootstrap/customData.test.ts'
const PROVIDER = 'test/azure/cloudProvider.test.ts'
const REFUSAL = 'shared/adapters/azure/errors/launchRefusal.test.ts'
const STORE = 'test/conformance/offeringStore.ts'
const FACTS = 'test/azure/clusterFacts.test.ts'
const NOT_THERE = 'it is about a part of the provider that Joiner does not have'

/** Limits and traps of the provider (T), where Joiner does more (X), and what follows for a program that runs in functions (C). In their order. */
export const LIMITS: readonly AzureSection[] = [
  {
    about: 'traps of the provider',
    kinds: { T: 25 },
    rows: [
      {
        lines: 'T-01',
        is: 'differs',
        why: 'Preferred does not turn it on either, and the class is told; Required works, with a Corefile in the boot script',
        shown: { 'test/azure/localDnsBoot.test.ts': ['T-01, BS-16, LB-05 has local DNS or none with %s'] },
      },
      { lines: 'T-02', is: 'done', shown: { [CAPACITY]: ['drops the fraction of memory before the overhead'] } },
      { lines: 'T-03', is: 'done', shown: { [BOOT]: ['keep the disk thresholds beside the one for memory'] } },
      { lines: 'T-04', is: 'done', shown: { [FIELDS]: ['of %s, %j, has an effect or is said to have none'] } },
      {
        lines: 'T-05',
        is: 'differs',
        why: 'the user is a setting; clouds that the boot script does not know are refused by name',
        shown: {
          'shared/adapters/azure/machines/machineBody.test.ts': ['VM-10 has the user of the settings, and the key where sshd looks for it'],
        },
      },
      { lines: 'T-06', is: 'done', shown: { [FACTS]: ['are read from ARM, with the network that AKS made'] } },
      { lines: 'T-07', is: 'done', shown: { [BOOT]: ['say the priority of a machine that is %s'] } },
      { lines: 'T-08', is: 'done', shown: { [TYPES]: ['FIPS without a shared gallery: nothing has an image'] } },
      { lines: 'T-09', is: 'done', shown: { [PROVIDER]: ['has to be in the network of the cluster'] } },
      { lines: 'T-10', is: 'done', shown: { [PROVIDER]: ['says so where an image has no version, and leaves nothing behind'] } },
      {
        lines: 'T-11',
        is: 'differs',
        why: 'newest versions of images are asked for every six hours',
        shown: { 'test/azure/catalog.test.ts': ['names the images of new nodes with their newest versions'] },
      },
      { lines: 'T-12', is: 'done', shown: { 'shared/adapters/azure/prices/priceTable.test.ts': ['of two lines for one size'] } },
      {
        lines: 'T-13',
        is: 'done',
        shown: { 'test/crash/everyWriteOfPods.test.ts': ['a nodeclaim without a nodepool is made and deleted'] },
      },
      { lines: 'T-14 T-18 T-19 T-20', is: 'notOurs', why: NOT_THERE },
      { lines: 'T-15', is: 'done', shown: { 'shared/adapters/azure/machines/instanceOf.test.ts': ['the age of a machine'] } },
      {
        lines: 'T-16',
        is: 'differs',
        why: 'the same sizes are left out as by the provider, with the rule in the message',
        shown: { 'shared/adapters/azure/sizes/size.test.ts': ['is left out by the rule'] },
      },
      {
        lines: 'T-17',
        is: 'done',
        shown: { 'test/scenarios/zonalSpread.ts': ['F44 the zone of regional machines is no domain where the pool excludes it'] },
      },
      { lines: 'T-21', is: 'done', shown: { [REFUSAL]: ["'size not available'"] } },
      { lines: 'T-22', is: 'done', shown: { 'shared/engine/launch/planLaunch.test.ts': ['an unknown price comes last'] } },
      {
        lines: 'T-23',
        is: 'done',
        shown: {
          'test/azure/launchFaults.test.ts': ['leaves the machine of a launch that came in between and answers with it'],
          'test/crash/everyArmCall.test.ts': ['leaves one machine for its claim, with its tags, and nothing when it ends'],
        },
      },
      { lines: 'T-24', is: 'done', shown: { [STORE]: ['keeps the later of two ends of one scope'] } },
      { lines: 'T-25', is: 'done', shown: { [PROVIDER]: ['has all machines, though the reason of a failed one cannot be read'] } },
    ],
  },
  {
    about: 'where Joiner does more',
    kinds: { X: 13 },
    rows: [
      {
        lines: 'X-01',
        is: 'done',
        shown: { 'test/e2e/spot.test.ts': ['is announced by its node through the topic of the cluster, and replaced'] },
      },
      {
        lines: 'X-02',
        is: 'done',
        shown: {
          'test/properties/quotaBurst.test.ts': ['uses a quota to its last core, and again what a later read of the usage says is free'],
        },
      },
      {
        lines: 'X-03',
        is: 'done',
        shown: { 'shared/flows/lifecycle/launchAttempts.test.ts': ['blocks what Azure says, for others too, and the next is tried'] },
      },
      { lines: 'X-04', is: 'done', shown: { 'test/properties/refusals.test.ts': ['though all processes are restarted'] } },
      { lines: 'X-05', is: 'missing', why: 'sizes that Azure took are avoided for a while; rates of evictions are not read' },
      {
        lines: 'X-06',
        is: 'done',
        shown: {
          [PROVIDER]: ['F17 has room for as many machines as Azure takes, named or not, and says so when it has none'],
          'test/crash/fullSubnet.test.ts': ['gets three machines and no refused one, its other pods wait with a reason'],
        },
      },
      {
        lines: 'X-07',
        is: 'differs',
        why: 'images can be pinned and are known within hours; a new image is proven by the first nodes of a pool, as budgets allow, and a pool whose new nodes do not join makes no more',
        shown: {
          'test/crash/newVersions.test.ts': ['stands in the status of the class, and each node is replaced once, as the budget allows'],
          'shared/engine/status/registrationHealth.test.ts': ['makes no more after two in a row, and says until when and why'],
        },
      },
      { lines: 'X-08', is: 'missing', why: 'security groups alone: no placement groups, dedicated hosts or reservations of capacity' },
      { lines: 'X-09', is: 'missing', why: 'sizes with constrained CPUs, confidential sizes and AMD GPUs are left out' },
      { lines: 'X-10', is: 'missing', why: 'regions of other clouds are refused by name' },
      {
        lines: 'X-11',
        is: 'done',
        shown: { [REFUSAL]: ["'subnet full'", "'denied by policy'", "'interface reserved'", "'image not found'"] },
      },
      {
        lines: 'X-12',
        is: 'done',
        shown: { 'shared/flows/lifecycle/launchClaim.test.ts': ['gives the machine a token that lives a minute longer than'] },
      },
      {
        lines: 'X-13',
        is: 'done',
        shown: { 'test/crash/rest.test.ts': ['is looked at every ten minutes, and not for a machine that does not exist'] },
      },
    ],
  },
  {
    about: 'consequences for functions',
    kinds: { C: 6 },
    rows: [
      { lines: 'C-01', is: 'done', shown: { [STORE]: ['loses no mark of two processes at once'] } },
      { lines: 'C-02', is: 'done', shown: { 'test/crash/everyArmCall.test.ts': ['a process that dies $when any call to Azure'] } },
      { lines: 'C-03', is: 'done', shown: { [FACTS]: ['are read once for all processes, and looked up in storage by the next'] } },
      {
        lines: 'C-04',
        is: 'done',
        shown: { 'shared/flows/sweep/resync.test.ts': ['adds every claim that is not where it should be, and no other'] },
      },
      {
        lines: 'C-05',
        is: 'done',
        shown: { 'shared/flows/sweep/collectGarbage.test.ts': ['is nothing at all while a list is empty that should not be'] },
      },
      {
        lines: 'C-06',
        is: 'done',
        shown: { [PROVIDER]: ['answers a repeated launch with the machine of the first, whatever the second asks for'] },
      },
    ],
  },
]
