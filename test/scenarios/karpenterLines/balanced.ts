import type { KarpenterGroup } from './karpenterGroup.ts'

const SCENARIOS = 'test/scenarios/disruption/balancedScenarios.ts'
const SCORES = 'shared/engine/disruption/methods/merging.test.ts'

export const BALANCED: readonly KarpenterGroup[] = [
  {
    about: 'the policy Balanced',
    kinds: { BA: 13, BS: 15, BV: 5, BI: 9 },
    rows: [
      {
        lines: 'BA-11',
        what: 'a smaller k asks for more, a larger one for less',
        why: 'k is not a setting here: it is 2, as in Karpenter, so that a move must score one half',
        shown: { [SCORES]: ['BA-03 a small saving for many', 'BA-05 one of nodes'] },
      },
      {
        lines: 'BS-03 BS-05',
        what: 'no candidates, or a pool without totals: refused',
        why: 'there is no such case: a move has nodes, and the totals of a pool come from the same nodes; a pool that costs nothing refuses',
        shown: { [SCORES]: ['BA-10 a pool that costs nothing', 'BS-01 BV-03 count every candidate'] },
      },
      {
        lines: 'BS-15 BV-02',
        what: 'the scores of all pools of a move are kept, and Events about a move of several nodes are told of its approved pools',
        why: 'no Event and no metric tells the score of a move: the reason of a node that stays names the pool and the score, and the first pool decides',
        shown: { [SCORES]: ['BS-07 BS-08 splits'], [SCENARIOS]: ['BI-10 a move that saves too little'] },
      },
      {
        lines: 'BV-01',
        what: 'a price that is no number counts as 0, and totals stay numbers',
        why: 'no such price comes in: prices are read as finite numbers, and one that is not known counts as 0',
        shown: { 'shared/wire/codec.test.ts': ['must be a number'], [SCORES]: ['BS-01 BV-03 count every candidate'] },
      },
      {
        lines: 'BI-01',
        what: 'a node that is too large is replaced, and an Event has k and the least score',
        why: 'it is replaced; the least score stands in the reason of a node that stays, and no Event tells the score of a node that goes',
        shown: { [SCENARIOS]: ['a large node for a small pod is replaced', 'at least 0.5 is required'] },
      },
    ],
  },
  {
    about: 'nodes whose pods have devices by dynamic resource allocation',
    kinds: { DC: 6 },
    rows: [
      {
        lines: 'DC-01 DC-02 DC-03 DC-04 DC-05 DC-06',
        what: 'devices of nodes that go are given to their replacements, devices of others are not',
        why: 'pods with resource claims are not planned: nobody counts devices here, and a node with such a pod is not consolidated',
        shown: { 'test/scenarios/disruption/consolidationScenarios.ts': ['a pod with a resource claim keeps its node'] },
      },
    ],
  },
]
