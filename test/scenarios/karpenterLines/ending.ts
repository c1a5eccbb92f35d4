import type { KarpenterGroup } from './karpenterGroup.ts'

export const ENDING: readonly KarpenterGroup[] = [
  {
    about: 'the end of a claim',
    kinds: { CT: 14 },
    rows: [
      {
        lines: 'CT-01',
        what: 'a claim that is deleted takes its node and its machine along, is looked at after five seconds, and goes once the machine is gone',
        why: 'the same, but a claim whose machine ends is looked at after two seconds first and then less and less often',
        shown: {
          'shared/engine/lifecycle/termination.test.ts': ['closes the node, waits five quiet seconds, ends the machine'],
          'shared/engine/lifecycle/terminationSteps.test.ts': ['is asked for and written', 'CT-06 is waited for'],
          'shared/flows/lifecycle/stillUnderWay.test.ts': ['come later and later, and end when the resync comes as often'],
        },
      },
      {
        lines: 'CT-08',
        what: 'a claim waits until its nodes are gone before it asks for the end of the machine',
        why: 'the claim drains the node itself, so that the machine ends after the drain; a node that others hold keeps the claim, not the machine',
        shown: {
          'shared/engine/lifecycle/termination.test.ts': ['closes the node, waits five quiet seconds, ends the machine'],
          'shared/engine/lifecycle/terminationSteps.test.ts': ['a node that others hold'],
        },
      },
      {
        lines: 'CT-09',
        what: 'Azure is not asked to delete the machine of a claim that was never launched',
        why: 'it is asked once: the write after a launch may have been lost, and a network interface of a launch that was cut off may be left',
        shown: { 'shared/engine/lifecycle/termination.test.ts': ['of a claim that never launched asks once'] },
      },
      {
        lines: 'CT-14',
        what: 'a node that is not registered is left to the cloud controller manager',
        why: 'it is not drained, but deleted once its machine is gone, so that no pod is bound to it for as long as the controller takes',
        shown: {
          'shared/engine/lifecycle/termination.test.ts': ['does not drain a node that never registered'],
          'shared/engine/lifecycle/terminationSteps.test.ts': ['goes as well: its node, and the token that it did not use'],
        },
      },
    ],
  },
]
