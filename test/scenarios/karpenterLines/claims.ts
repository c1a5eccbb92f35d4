import type { KarpenterGroup } from './karpenterGroup.ts'

export const CLAIMS: readonly KarpenterGroup[] = [
  {
    about: 'whether a node has what its claim was promised, and labels of earlier versions',
    kinds: { CS: 3, HY: 2 },
    rows: [
      {
        lines: 'HY-01 HY-02',
        what: 'a claim or a node that lacks the label of its NodeClass gets it, and those of other providers do not',
        why: 'a launch writes the label on each claim, and the registration copies it to the node: no version made a claim without it',
        shown: {
          'shared/engine/lifecycle/launch.test.ts': ['names its class as a label, where a person made it without'],
          'shared/engine/lifecycle/registration.test.ts': ['gets the label of its class from its claim'],
          'shared/flows/lifecycle/stepClaim.test.ts': ['is left alone, though a class of ours has the name of its class'],
        },
      },
    ],
  },
  {
    about: 'garbage of either side',
    kinds: { GC: 6 },
    rows: [
      {
        lines: 'GC-04',
        what: 'a claim whose node never registered stays although its machine is gone, until it has waited for its node long enough',
        why: 'it ends half a minute after its launch, so that its pods get another machine at once',
        shown: {
          'shared/engine/lifecycle/liveness.test.ts': [
            'a machine that is gone ends its claim',
            'a machine that Azure may not show yet is not gone',
          ],
        },
      },
      {
        lines: 'GC-05',
        what: 'a claim whose node is missing stays while its machine is there',
        why: 'a kubelet registers once, so that such a machine would cost money and run nothing: claim and machine end',
        shown: {
          'shared/engine/lifecycle/liveness.test.ts': [
            'a node that is gone takes its claim along',
            'a node that has not come yet is not gone',
          ],
        },
      },
    ],
  },
  {
    about: 'ages',
    kinds: { EX: 9 },
    rows: [
      {
        lines: 'EX-02',
        what: 'the metric of an expired spot machine says how it ends, and by which consolidation policy',
        why: 'the labels are NodePool, reason and capacity type alone, since a process keeps a bounded number of series',
        shown: { 'shared/flows/apply/endMachines.test.ts': ['EX-01'] },
      },
      {
        lines: 'EX-06 EX-08',
        what: 'a machine stays until its age, and is looked at when it has it',
        why: 'machines that were made together end apart, each within the last tenth of its age, as budgets let them; before that each stays',
        shown: {
          'shared/engine/disruption/expiry.test.ts': [
            'before the last tenth of its age',
            'and names the time when it is to be looked at again',
            'end over the last tenth of their age, none later and none twice',
          ],
        },
      },
    ],
  },
  {
    about: 'pods that come and go',
    kinds: { PE: 5 },
    rows: [
      {
        lines: 'PE-01',
        what: 'a pod that comes, ends or leaves is written on the claim of its node with the present time',
        why: 'a pod that comes says itself when it was bound, and one that leaves is written with that time, so that a new process restarts no wait',
        shown: {
          'shared/flows/apply/markClaims.test.ts': ['stays until its pool has seen it quiet', 'counts a pod that ends as one that leaves'],
          'shared/engine/disruption/candidates/candidate.test.ts': ['since a pod came', 'since a pod began to end'],
        },
      },
    ],
  },
]
