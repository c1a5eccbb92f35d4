import type { AzureSection } from './azureLine.ts'

const MACHINE_API = 'it is about the machines of AKS, which Joiner does not make'
/** What smoke shows of it once it has run on a subscription is said in each row. */
const SMOKE = 'it needs a subscription'

/** Machines of AKS, and what is tested on whole systems. */
export const OTHERS: readonly AzureSection[] = [
  {
    about: 'machines of AKS',
    kinds: { MA: 11 },
    rows: [{ lines: 'MA-01 MA-02 MA-03 MA-04 MA-05 MA-06 MA-07 MA-08 MA-09 MA-10 MA-11', is: 'notOurs', why: MACHINE_API }],
  },
  {
    about: 'whole systems',
    kinds: { E2: 16 },
    rows: [
      {
        lines: 'E2-01',
        is: 'missing',
        why: `${SMOKE}: the step image of smoke pulls from a public registry, and no step from a private one`,
      },
      {
        lines: 'E2-02',
        is: 'missing',
        why: `${SMOKE}: \`smoke --kinds des\` boots a machine with the set of its cluster; a set without Reader is only refused by the local ARM`,
      },
      { lines: 'E2-10 E2-16', is: 'missing', why: `${SMOKE}: smoke boots one size of each of its kinds, not one of each family` },
      { lines: 'E2-03', is: 'done', shown: { 'test/crash/runaway.test.ts': ['nodes that somebody taints for good'] } },
      {
        lines: 'E2-04',
        is: 'done',
        shown: {
          'test/e2e/consolidation.test.ts': [
            'replaces a node by a cheaper one, which is ready before the old one goes',
            'takes a node away whose pod fits on another',
          ],
        },
      },
      {
        lines: 'E2-05',
        is: 'done',
        shown: {
          'test/crash/everyWriteOfDrift.test.ts': ['are replaced two at a time'],
          'test/e2e/consolidation.test.ts': ['stops at a budget that closes in the middle of a wave'],
        },
      },
      {
        lines: 'E2-06',
        is: 'missing',
        why: `${SMOKE}: \`smoke --kinds gpu\` boots the cheapest size with a GPU; drivers of one NVIDIA size are tested in the boot script`,
      },
      {
        lines: 'E2-07',
        is: 'done',
        shown: {
          'test/crash/everyWriteOfTags.test.ts': ['change machines and interfaces once each, and replace none'],
          'test/crash/everyArmCall.test.ts': ['leaves one machine for its claim, with its tags'],
        },
      },
      {
        lines: 'E2-08',
        is: 'missing',
        why: 'the parts that need a machine of Azure, such as trusted launch, have no test on a whole system',
      },
      {
        lines: 'E2-09',
        is: 'done',
        shown: { 'test/crash/newVersions.test.ts': ['stands in the status of the class, and each node is replaced once'] },
      },
      {
        lines: 'E2-11',
        is: 'differs',
        why: 'no extension is made, so none has tags',
        shown: { 'test/crash/everyWriteOfPods.test.ts': ['a nodeclaim without a nodepool is made and deleted'] },
      },
      {
        lines: 'E2-12',
        is: 'done',
        shown: {
          'test/e2e/deprecatedLabels.test.ts': [
            'E2-12 choose the machine, and the scheduler binds',
            'E2-12 spread pods over zones by the old name',
          ],
          'test/e2e/pools.test.ts': ['share the pods out by weight', 'each take the pods that ask for their labels'],
          'test/e2e/buffersAndOverlays.test.ts': ['decides by its price what is cheapest, in the plan and at the launch'],
        },
      },
      {
        lines: 'E2-13',
        is: 'done',
        shown: { 'test/e2e/spot.test.ts': ['is announced by its node through the topic of the cluster, and replaced'] },
      },
      {
        lines: 'E2-14',
        is: 'differs',
        why: 'volumes are given as the driver writes them: the local Azure makes no disks for pods, and Joiner reads of a disk only where it can be attached',
        shown: {
          'test/scenarios/volumes.ts': [
            'V41 E2-14 a disk with redundant storage of zones follows its pod into the cheapest zone',
            'V41.1 E2-14 a disk with redundant storage of zones, of a pod whose only machine has no zone',
            'V42 E2-14 a disk without a zone goes to no machine in a zone, however cheap',
            'V30 a node in the volume’s zone is used',
          ],
          'shared/adapters/azure/sizes/instanceTypes.test.ts': ['IT-23 have ultra disks in some zones, and the size says both'],
        },
      },
      {
        lines: 'E2-15',
        is: 'done',
        shown: {
          'test/crash/otherClass.test.ts': ['E2-15: a class whose subnet does not exist'],
          'test/azure/cloudProvider.test.ts': [
            'has to be in the network of the cluster',
            'is not beside that of AKS in the network that AKS made',
          ],
        },
      },
    ],
  },
]
