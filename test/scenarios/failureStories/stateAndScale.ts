import type { FailureStory } from './failureStory.ts'

const RESTARTS = 'test/crash/failures/restarts.test.ts'
const LITTLE_WORK = 'shared/engine/littleWork.test.ts'

/** State that is wrong or lost, and clusters that are large. */
export const STATE_AND_SCALE: readonly FailureStory[] = [
  {
    story: 'F22',
    what: 'a claim that is created and deleted within a second blocks all decisions for hours',
    holds: 'whatever order its changes come in, the next decision is right, and no wait for missing changes is without end',
    shown: {
      [RESTARTS]: ['F22: a claim that is deleted 300 ms after it was created', 'keeps no pod from its node'],
      'shared/flows/state/clusterState.test.ts': [
        'gives the same picture when every record comes twice',
        'says what is missing only after some patience',
      ],
      'test/crash/crash.test.ts': ['every batch of changes comes twice and in the wrong order'],
    },
  },
  {
    story: 'F25',
    what: 'a process that starts anew forgets for how long nodes were idle, so that a scale-down never ends',
    holds: 'killed once a minute, the scale-down ends in time',
    shown: { [RESTARTS]: ['F25: a process that is killed once a minute', 'forgets no time for which nodes were quiet'] },
  },
  {
    story: 'F26',
    what: 'in a busy cluster idle GPU nodes stay',
    holds: 'empty nodes go though there is no step left for pods, and though other nodes come and go',
    shown: {
      [LITTLE_WORK]: ['F26: a decision without any step left for pods', 'removes empty nodes all the same'],
      'test/scenarios/disruption/emptinessScenarios.ts': ['(F26) a decision that makes a node takes empty ones away'],
      'test/scenarios/disruption/consolidationScenarios.ts': ['F26 a node goes while a pod waits'],
    },
  },
  {
    story: 'F27',
    what: 'two static pools retry each minute where there is no capacity',
    holds: 'tries become rarer, up to a limit, and are not all at once',
    shown: {
      'test/crash/failures/noCapacity.test.ts': [
        'F27: two static pools for which Azure has no machine for a day',
        'of different sizes each ask more rarely, up to a limit, and at different times',
        'of one size do not ask at once',
        'ask more rarely also if Azure takes the requests and the machines fail later',
        'are filled within the longest wait once there are machines',
        'pods in dynamic pools for which Azure has no machine for a day have Azure asked more rarely as well',
      ],
      'shared/model/refusalGrowth.test.ts': ['grow from the time of the first to a limit, and never shrink'],
      'shared/engine/staticPools/decideStaticPools.test.ts': [
        'wait until a refused offering may be asked for again',
        'wait a little longer for what is refused again and again, each pool for a time of its own',
      ],
    },
  },
  {
    story: 'F28',
    what: 'a pool whose drift fails keeps all other pools from drift',
    holds: 'the other pools go on with their full budgets',
    shown: { 'test/crash/newVersions.test.ts': ['F28 goes on at full budget in pools beside one whose replacements always fail'] },
  },
  {
    story: 'F29',
    what: 'hundreds of pods with anti-affinity to each other take so long that health probes fail',
    holds: 'a decision is made within its steps, with a part of the pods if need be',
    shown: {
      [LITTLE_WORK]: [
        'F29: three hundred pods',
        'all get their nodes in one decision of few steps',
        'as many nodes as the steps suffice for',
      ],
    },
  },
]
