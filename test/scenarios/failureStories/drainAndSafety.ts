import type { FailureStory } from './failureStory.ts'

const LEFTOVERS = 'test/crash/failures/leftovers.test.ts'
const CANDIDATES = 'test/scenarios/disruption/candidateScenarios.ts'

/** Drains, safety and fairness. */
export const DRAIN_AND_SAFETY: readonly FailureStory[] = [
  {
    story: 'F30',
    what: 'a disruption budget that can never allow an eviction holds a drain for days',
    holds: 'it is found and reported before the node is closed, the node is not chosen, and only a time-out forces the drain',
    shown: {
      'shared/engine/disruption/candidates/candidate.test.ts': ['F30: one replica, minAvailable 1', 'can never allow the eviction of pod'],
      [CANDIDATES]: ['CA-14 a budget that can never let a pod go keeps its node', 'CA-05 nor does a budget of pods'],
      'test/e2e/drain.test.ts': ['ends by the deadline, whatever holds the pods'],
    },
  },
  {
    story: 'F31',
    what: 'the blocked drain of an old node keeps new nodes from being made',
    holds: 'pods that wait get the same nodes as without the drain',
    shown: { 'shared/engine/blockedDrain.test.ts': ['(F31)', 'keeps no pod that waits from its machine'] },
  },
  {
    story: 'F32',
    what: 'a node that was chosen gets a protected pod before it goes',
    holds: 'pods are looked at again after the taint and before the deletion; the taint is removed and the move is dropped',
    but: 'the pod comes before each call of the API server, not at each millisecond: nothing happens between calls',
    shown: {
      'test/crash/moves.test.ts': ['(F32)', 'keeps the node, whenever it comes before the last look at it', 'opens them at once'],
    },
  },
  {
    story: 'F33',
    what: 'a machine goes while its volume is attached, and the volume is blocked for six minutes',
    holds: 'the machine is deleted after its volumes are detached, or at its deadline',
    shown: {
      'test/crash/crash.test.ts': ['F33 waits for the volumes of machines that go'],
      'test/crash/everyWriteOfEnds.test.ts': ['volumes are detached slowly'],
      'shared/engine/lifecycle/termination.test.ts': ['NT-27 waits for its volumes', 'NT-29 at its deadline'],
    },
  },
  {
    story: 'F34',
    what: 'all nodes reach their maximum age together',
    holds: 'a hundred nodes of one age end over a period, as the budgets allow',
    shown: { 'shared/engine/disruption/expiry.test.ts': ['(F34)', 'end over the last tenth of their age'] },
  },
  {
    story: 'F35',
    what: 'the circuit breaker of repairs blocks a pool of three nodes, or a zone fault makes all nodes unhealthy',
    holds: '1 of 3 is repaired, and with three fifths unhealthy repairs pause and say so',
    shown: {
      'shared/engine/repair/repairHolds.test.ts': ['RP-14', 'RP-13', 'RP-32'],
    },
  },
  {
    story: 'F36',
    what: 'a node registers and is never initialized, and nothing removes it',
    holds: 'it is replaced after a time-out of its pool, with growing pauses',
    shown: {
      [LEFTOVERS]: ['F36: nodes whose startup taint somebody puts back', 'are replaced once the time of their pool is over'],
      'shared/engine/lifecycle/liveness.test.ts': ['F36: a node that is ready and never initialized', 'has the time that its pool says'],
      'shared/engine/lifecycle/initialization.test.ts': ['a node that joined waits'],
    },
  },
  {
    story: 'F37',
    what: 'old small nodes fill the limit of a pool, and the smallest new node is beyond it',
    holds: 'pods are told the limit and what to do, and a node may be replaced within the limit',
    shown: {
      'test/scenarios/limits.ts': ['F37 a limit that old small nodes have filled is named, with what to do'],
      'test/scenarios/disruption/consolidationScenarios.ts': ['CR-19 (F37) in a full pool what goes is room for what comes'],
    },
  },
  {
    story: 'F40',
    what: 'a new image replaces the nodes of a whole fleet outside of its window',
    holds: 'an image that comes at noon moves no node before the window opens',
    shown: {
      'test/crash/newVersions.test.ts': ['F40 that comes at noon moves no node before the window'],
      'test/scenarios/disruption/driftScenarios.ts': ['F40 an image that comes at noon moves nothing before the window'],
    },
  },
  {
    story: 'F41',
    what: 'a role or a credential vanishes, and nobody notices for hours',
    holds: 'it is said within five minutes, and nothing is disrupted by choice meanwhile',
    shown: {
      'test/crash/forbidden.test.ts': ['F41: rights or credentials vanish', 'said within five minutes, nothing goes meanwhile'],
      'shared/engine/status/registrationHealth.test.ts': [
        'F41: a pool that Azure makes no machine for',
        'has no machine taken away meanwhile',
      ],
    },
  },
  {
    story: 'F42',
    what: 'a bootstrap token expires, and machines that never join pile up',
    holds: 'after two machines that did not join, the pool makes no more and says why, and nothing is left',
    but: 'when a pause ends, the pool makes machines for all waiting pods at once, not one to try',
    shown: {
      [LEFTOVERS]: ['F42: a bootstrap token that is not valid any more', 'makes few machines before its pool pauses and says why'],
      'shared/engine/status/registrationHealth.test.ts': ['F42: a pool whose machines do not join', 'makes no more after two in a row'],
    },
  },
  {
    story: 'F43',
    what: 'the removal of the app leaves nodes and finalizers',
    holds: 'removed in any order as documented, nothing is left',
    shown: {
      'test/e2e/teardown.test.ts': ['in any order leaves no object and no machine (F43)', 'the shim first'],
      'test/charts/uninstall.test.ts': ['go with all that app and shim wrote'],
    },
  },
  {
    story: 'F44',
    what: 'an empty zone becomes a domain of topology spread',
    holds: 'with regional and zonal nodes, spread counts real domains only',
    but: 'zone 0, the label of regional nodes, is a domain for kube-scheduler and so for a plan, unless pods or pool exclude it',
    shown: {
      'test/scenarios/zonalSpread.ts': [
        'F44 the zone of regional machines is no domain',
        'F44.1 nor where the pods exclude it',
        'T15 who is not counted',
      ],
      'shared/model/requirements.test.ts': ['reads the empty zone of the disk driver as the zone of regional nodes'],
    },
  },
]
