import type { ReleaseLine } from './releaseLine.ts'

export const QUEUE: readonly ReleaseLine[] = [
  { line: 'QE-01', state: 'missing', what: 'a failed command is counted with its method and reason' },
  { line: 'QE-02', state: 'missing', what: 'a slot of an unknown pool is given back without harm' },
  { line: 'DK-01', state: 'missing', what: 'karpenter.sh/disruption-cost comes before pod-deletion-cost' },
  { line: 'DK-02', state: 'missing', what: 'with deletion costs on, pod-deletion-cost does not count' },
  { line: 'DK-03', state: 'missing', what: 'with deletion costs off, it counts' },
  { line: 'DK-04', state: 'missing', what: 'only an int32 counts, otherwise the cost is 1' },
  { line: 'DK-05', state: 'missing', what: 'registered nodes that are not initialized are no candidates of other methods' },
  { line: 'DK-06', state: 'missing', what: 'the costs of one pass are of one instant' },
  { line: 'PD-01', state: 'missing', what: 'which nodes get which rank' },
  { line: 'PD-02', state: 'missing', what: 'only pods that a ReplicaSet controls get a cost' },
  { line: 'PD-03', state: 'missing', what: 'which pods and nodes clear their costs' },
  { line: 'PD-04', state: 'missing', what: 'ranks keep within budgets' },
  { line: 'PD-05', state: 'missing', what: 'at most 50 nodes at a time; nodes that go are exempt' },
  { line: 'PD-06', state: 'missing', what: 'values of users are overwritten' },
  { line: 'PD-07', state: 'missing', what: 'no change, no write; which failures are tried again' },
  { line: 'PD-08', state: 'missing', what: 'nodes of others stay as they are' },
  { line: 'PD-09', state: 'missing', what: 'measures of the writes' },
]
