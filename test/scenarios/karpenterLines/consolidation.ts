import type { KarpenterGroup } from './karpenterGroup.ts'

const CLAIMS = 'shared/flows/apply/disruptClaim.test.ts'
const STARTS = 'shared/flows/apply/carryOutIntents.test.ts'
const STEPS = 'shared/engine/disruption/commands/stepCommands.test.ts'

export const CONSOLIDATION: readonly KarpenterGroup[] = [
  {
    about: 'nodes that are replaced, and nodes that are deleted',
    kinds: { CR: 17, CD: 21, LT: 1, TP: 2, PZ: 2, RC: 2, PF: 2, MV: 1, BF: 4, ST: 1 },
    rows: [
      {
        lines: 'CR-03',
        what: 'spot nodes are not replaced by spot nodes where the gate for it is off',
        why: 'there is no gate: spot nodes are replaced by the rule of fifteen cheaper sizes',
        shown: { 'test/scenarios/disruption/capacityTypeScenarios.ts': ['CR-02 ', 'CR-05 '] },
      },
      {
        lines: 'MV-01',
        what: 'fewer cheaper sizes than minValues keep a node, also with BestEffort, and two Events say so',
        why: 'the node stays, and its reason names minValues; that nothing cheaper fits holds for most nodes, so that no Event says it',
        shown: {
          'shared/flows/apply/applyDecision.test.ts': ['says nothing of what passes by itself or is normal'],
          'test/scenarios/disruption/furtherScenarios.ts': [
            'fewer cheaper sizes than minValues asks keep a node, also where new nodes may have fewer',
          ],
        },
      },
    ],
  },
  {
    about: 'what happens between a decision and its effect',
    kinds: { CW: 7 },
    rows: [
      {
        lines: 'CW-01',
        what: 'a node with pods goes 15 seconds after the decision',
        why: 'nothing waits: the node is tainted, so that no more pods come, and then its pods are read once more',
        shown: {
          [CLAIMS]: ['opens the node again when a pod came while it was closed', 'takes a node whose pods all are those of the plan'],
          [STARTS]: ['has all its nodes marked before its claim is made'],
        },
      },
      {
        lines: 'CW-02',
        what: 'a move is given up where the sizes on sale change within these 15 seconds',
        why: 'the claim of a replacement follows the decision at once; if its sizes cannot be bought then, it goes, and the move with it',
        shown: { [STEPS]: ["'a replacement is gone'"] },
      },
    ],
  },
  {
    about: 'several nodes at once',
    kinds: { MN: 6 },
    rows: [
      {
        lines: 'MN-04',
        what: 'several nodes go together 15 seconds after the decision',
        why: 'nothing waits, as with one node; all nodes of a move are tainted before the first claim is made',
        shown: { [STARTS]: ['has all its nodes marked before its claim is made'] },
      },
      {
        lines: 'MN-06',
        what: 'nodes are tried one by one where a move of several is given up in these 15 seconds',
        why: 'one decision begins moves of one node beside moves of several; a move that is taken back rests, and keeps none of the others',
        shown: {
          [STARTS]: ['CW-03 is taken back'],
          [STEPS]: ['come to nothing each by itself'],
          'test/scenarios/disruption/wayScenarios.ts': ['two spot nodes become one that is smaller'],
        },
      },
    ],
  },
  {
    about: 'the order of single nodes',
    kinds: { SN: 5 },
    rows: [
      {
        lines: 'SN-02 SN-04 SN-05',
        what: 'pools that a search that ran out of time has not seen come first in the next, until one is whole',
        why: 'a decision ends after a number of steps, and the next one goes on behind its last node, whatever pool that is of',
        shown: {
          'shared/engine/disruption/verdicts/moveTurns.test.ts': [
            'come to every machine within one round',
            'ask for another look soon while machines wait for theirs',
            'are over at once in a cluster that one decision can try',
          ],
        },
      },
    ],
  },
]
