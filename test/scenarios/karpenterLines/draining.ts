import type { KarpenterGroup } from './karpenterGroup.ts'

export const DRAINING: readonly KarpenterGroup[] = [
  {
    about: 'the end of nodes',
    kinds: { NT: 32 },
    rows: [
      {
        lines: 'NT-02',
        what: 'a node that is deleted and has no claim is drained and goes, and no machine is ended',
        why: 'its machine would cost money for ever: garbage collection drains it for a bounded time and ends the machine, and then the node goes',
        shown: {
          'test/crash/orphan.test.ts': ['is drained before it is deleted, and its node goes too'],
          'shared/flows/lifecycle/finishLostNode.test.ts': ['goes once its machine is gone and it is not ready'],
        },
      },
      {
        lines: 'NT-03',
        what: 'a node that two claims have counts as a node without a claim',
        why: 'machine and node are named after their claim, so that no two claims have one node',
        shown: { 'shared/engine/lifecycle/drain.test.ts': ['are none where each machine has its node'] },
      },
      {
        lines: 'NT-30 NT-31 NT-32',
        what: 'metrics of the nodes that ended: how many, how long that took, how long they lived, and how many were drained',
        why: 'one event about each claim that ended has both times, and counts it; drained nodes are a metric as in Karpenter',
        shown: {
          'shared/flows/reports/reportClaim.test.ts': ['a claim that ended tells how long that took, and how long it lived'],
          'shared/flows/reports/claimMetrics.test.ts': ['is counted once'],
        },
      },
    ],
  },
  {
    about: 'repair',
    kinds: { HR: 16 },
    rows: [
      {
        lines: 'HR-15',
        what: 'a repair is counted by its reason, and by condition and image of the node',
        why: 'by reason and condition alone, since a process keeps a bounded number of series: the status of the claim has the image',
        shown: { 'shared/flows/apply/endMachines.test.ts': ['HR-05'] },
      },
    ],
  },
  {
    about: 'which pods are protected',
    kinds: { PP: 15 },
    rows: [
      {
        lines: 'PP-06 PP-07 PP-09',
        what: 'Events on a pod say until when its duration protects it, and that it is over; true has none',
        why: 'no Event: the condition of a claim that ends names its protected pods, and a node that stays for one says so in its reason',
        shown: {
          'shared/engine/pod/podPredicates.test.ts': ['PP-13', 'PP-12', 'PP-02'],
          'shared/engine/lifecycle/drain.test.ts': ['at its beginning names the pods that users hold, and tells nobody else'],
          'shared/engine/disruption/candidates/candidate.test.ts': ['DISRUPTION.DO_NOT_DISRUPT'],
        },
      },
      {
        lines: 'PP-15',
        what: 'a pod asks for devices by a resource claim of its own, of a container or of an init container',
        why: 'a container can only name a resource claim that its pod has, so the pod alone is looked at; no machine is made for such a pod',
        shown: {
          'shared/wire/kube/pod.test.ts': ['has its gates and claims by name'],
          'shared/engine/scheduling/decision/refusedOutsidePools.test.ts': ['spec.resourceClaims (gpu) is not supported'],
        },
      },
    ],
  },
  {
    about: 'which pods their budgets hold',
    kinds: { PB: 10 },
    rows: [
      {
        lines: 'PB-08 PB-09 PB-10',
        what: 'a pod without a budget needs a place when its node goes; one that a budget holds for good, or that is protected, does not',
        shown: {
          'test/scenarios/deletingNodes.ts': [
            'D1 a running pod',
            'D6 a budget that lets no pod be away',
            'D6.1 a budget that lets no share be away',
            'D6.2 a budget that wants all to stay',
            'D6.3 two budgets',
            'D8 a pod that must not be disrupted',
          ],
        },
      },
    ],
  },
]
