import type { ReleaseLine } from './releaseLine.ts'

export const QUEUE: readonly ReleaseLine[] = [
  {
    line: 'QE-01',
    state: 'differs',
    what: 'a failed command is counted with its method and reason',
    why: 'the measure names the reason in lower case and how the move would have gone; consolidation is one search here, so there is no type of it to name',
    shown: {
      'shared/flows/reports/claimMetrics.test.ts': ['karpenter_voluntary_disruption_queue_failures_total'],
    },
  },
  {
    line: 'QE-02',
    state: 'done',
    what: 'a slot of an unknown pool is given back without harm',
    shown: {
      'shared/engine/staticPools/staticDrift.test.ts': ['count what the same decision does besides'],
    },
  },
  {
    line: 'DK-01',
    state: 'done',
    what: 'karpenter.sh/disruption-cost comes before pod-deletion-cost',
    shown: {
      'shared/engine/pod/eviction.test.ts': ['DK-01 a pod with a disruption cost, whatever its deletion cost'],
    },
  },
  {
    line: 'DK-02',
    state: 'differs',
    what: 'with deletion costs on, pod-deletion-cost does not count',
    why: 'Joiner never overwrites a cost of a user, so such a cost still says what the user meant; only the value that Joiner writes does not count',
    shown: {
      'shared/engine/pod/eviction.test.ts': [
        'DK-01 a pod with a disruption cost, and the deletion cost of nodes that are planned to go',
        'a pod with the deletion cost of nodes that are planned to go',
      ],
    },
  },
  {
    line: 'DK-03',
    state: 'done',
    what: 'with deletion costs off, it counts',
    shown: {
      'shared/engine/pod/eviction.test.ts': ['DK-03 a pod with a deletion cost alone'],
    },
  },
  {
    line: 'DK-04',
    state: 'done',
    what: 'only an int32 counts, otherwise the cost is 1',
    shown: {
      'shared/engine/pod/eviction.test.ts': ['DK-04 takes a whole number of 32 bits'],
    },
  },
  {
    line: 'DK-05',
    state: 'done',
    what: 'registered nodes that are not initialized are no candidates of other methods',
    shown: {
      'test/scenarios/disruption/candidateScenarios.ts': ['CA-26 a node that is not initialized stays'],
    },
  },
  {
    line: 'DK-06',
    state: 'done',
    what: 'the costs of one pass are of one instant',
    shown: {
      'test/architecture/core.test.ts': ['know no promise and no clock'],
      'shared/engine/pod/eviction.test.ts': ['what is left of the life of a machine'],
    },
  },
  {
    line: 'PD-01',
    state: 'differs',
    what: 'which nodes get which rank',
    why: 'one value is written, on pods of nodes that are planned to go; ranks of all nodes would be written anew with each change, against the advice of Kubernetes',
    shown: {
      'shared/engine/disruption/planned/deletionCosts.test.ts': [
        'is written a minute after the taint',
        'is not written on a node without the taint',
      ],
    },
  },
  {
    line: 'PD-02',
    state: 'done',
    what: 'only pods that a ReplicaSet controls get a cost',
    shown: {
      'shared/engine/disruption/planned/deletionCosts.test.ts': [
        'PD-02 is not written on a pod that its ReplicaSet owns and does not control',
        'is written on pods of ReplicaSets only',
      ],
    },
  },
  {
    line: 'PD-03',
    state: 'differs',
    what: 'which pods and nodes clear their costs',
    why: 'what keeps a node also keeps it from being planned to go; the value goes with the taint',
    shown: {
      'shared/engine/disruption/planned/deletionCosts.test.ts': [
        'is removed when the taint goes',
        'is removed from a node without the taint',
      ],
    },
  },
  {
    line: 'PD-04',
    state: 'differs',
    what: 'ranks keep within budgets',
    why: 'the nodes are those that only a budget holds, of any number up to MOST_PLANNED_TAINTS',
    shown: {
      'shared/engine/disruption/planned/plannedTaints.test.ts': [
        'is put on no node where the budget allows nothing at all',
        'is put on the nodes of the next moves when moves begin',
      ],
    },
  },
  {
    line: 'PD-05',
    state: 'differs',
    what: 'at most 50 nodes at a time; nodes that go are exempt',
    why: 'at most 50 pods a decision, since each takes a call; pods of nodes that go are evicted, so they get no cost',
    shown: {
      'shared/engine/disruption/planned/deletionCosts.test.ts': [
        'is written on few pods in a decision, and the removal comes first',
        'is left alone on a node that is closed',
      ],
    },
  },
  {
    line: 'PD-06',
    state: 'differs',
    what: 'values of users are overwritten',
    why: 'a cost of a user stays, and an admission policy keeps the app from writing any other value',
    shown: {
      'shared/engine/disruption/planned/deletionCosts.test.ts': [
        'is not written where the user has set one',
        'is not removed where the user has set one',
      ],
      'test/charts/deletionCosts.test.ts': ['that a user has set stay, whatever the app asks for'],
    },
  },
  {
    line: 'PD-07',
    state: 'done',
    what: 'no change, no write; which failures are tried again',
    shown: {
      'shared/flows/apply/setDeletionCosts.test.ts': [
        'that has the cost already',
        'tells of a node whose writes fail, and goes on with the others',
      ],
      'shared/engine/disruption/planned/deletionCosts.test.ts': ['costs nothing to look at once nothing changes'],
    },
  },
  {
    line: 'PD-08',
    state: 'done',
    what: 'nodes of others stay as they are',
    shown: {
      'shared/engine/disruption/planned/deletionCosts.test.ts': ["is not written on nodes of another provider's claims"],
    },
  },
  {
    line: 'PD-09',
    state: 'differs',
    what: 'measures of the writes',
    why: 'a refused write is told by an Event of the node and in the log; a count of writes would say nothing that a user could act on',
    shown: {
      'shared/flows/apply/setDeletionCosts.test.ts': [
        'tells of each refused pod in the log, and once on a node by an Event, with code and remedy',
      ],
    },
  },
]
