import type { KarpenterGroup } from './karpenterGroup.ts'

const NOT_SENT =
  'no such series is sent: `joiner explain` names the rule that prevents the moves of a node, and docs/monitoring.md has the list of what is sent'
const LOOKED_AT_LIVE =
  'nothing waits to validate a plan: nodes are tainted, then their pods are read live, and a node with a pod that nobody planned for is open again'

export const DISRUPTION: readonly KarpenterGroup[] = [
  {
    about: 'disruption as a whole',
    kinds: { DS: 13 },
    rows: [
      {
        lines: 'DS-03',
        what: 'a node goes although a pod has a volume on it',
        why: 'the data of the volume ends with the node, and the pod would wait for it forever: the node stays, and its reason names the pod',
        shown: { 'test/scenarios/disruption/driftScenarios.ts': ['a node stays whose pod has a volume on it'] },
      },
      {
        lines: 'DS-07 DS-08 DS-09 DS-10 DS-11 DS-12',
        what: 'decisions are counted by reason, kind and pool',
        why: 'each node that goes without a replacement is a move of its own, and moves are not counted by pool: the series of ended claims is',
        shown: {
          'shared/flows/reports/claimMetrics.test.ts': [
            'count a move for each node that goes without a replacement, and one for nodes that are replaced together',
            'count machines and pods of what is taken',
          ],
        },
      },
      {
        lines: 'DS-13',
        what: 'the search for nodes that go together ends at a time',
        why: 'a decision counts its steps and reads no clock; nodes that had no turn get one in the next decision, which comes within a second',
        shown: {
          'shared/engine/disruption/verdicts/moveTurns.test.ts': ['come to every machine within one round', 'ask for another look soon'],
        },
      },
    ],
  },
  {
    about: 'empty nodes',
    kinds: { EM: 20, EB: 6 },
    rows: [
      {
        lines: 'EM-01',
        what: 'empty nodes are counted',
        why: NOT_SENT,
        shown: { 'shared/engine/disruption/verdicts/verdicts.test.ts': ['is the rule that stopped them, with its numbers'] },
      },
      {
        lines: 'EM-09 EM-10',
        what: 'a node stays while its condition Consolidatable is missing or false',
        why: 'the condition is written for people: a decision works out from pods and pool how long the node has been quiet',
        shown: {
          'shared/engine/disruption/decideDisruption.test.ts': ['it stays until it was quiet for long enough since it came up'],
          'shared/engine/markers/decideMarkers.test.ts': ['once it is quiet for as long as its pool asks'],
        },
      },
      {
        lines: 'EM-19',
        what: 'fifteen seconds pass between plan and deletion',
        why: LOOKED_AT_LIVE,
        shown: {
          'shared/flows/apply/endMachines.test.ts': ['taints all nodes before it deletes the first claim'],
          'shared/flows/apply/disruptClaim.test.ts': ['opens the node again when a pod came while it was closed'],
        },
      },
      {
        lines: 'EB-01',
        what: 'a node with room of a buffer stays, and an Event says so',
        why: 'it stays as long as the buffer does, so that an Event would be written for months: `joiner explain` gives the reason',
        shown: {
          'test/scenarios/disruption/emptinessScenarios.ts': ['a node whose room a buffer keeps stays'],
          'shared/flows/apply/applyDecision.test.ts': ['says nothing of what passes by itself or is normal'],
        },
      },
    ],
  },
  {
    about: 'drift',
    kinds: { DD: 24, SD: 14 },
    rows: [
      {
        lines: 'DD-01',
        what: 'drifted nodes are counted',
        why: NOT_SENT,
        shown: { 'shared/engine/disruption/verdicts/verdicts.test.ts': ['is the rule that stopped them, with its numbers'] },
      },
      {
        lines: 'DD-23',
        what: 'drifted nodes with pods go one in a decision, the longest drifted first',
        why: 'as many go at once as budgets allow, so that a decision that is dear is made less often; the order is the same',
        shown: {
          'test/scenarios/disruption/driftScenarios.ts': ['the one that drifted first comes first', 'DD-02 three of ten at 30 %'],
          'test/crash/newVersions.test.ts': ['each node is replaced once, as the budget allows'],
        },
      },
    ],
  },
  {
    about: 'consolidation: Events, metrics and budgets',
    kinds: { CE: 6, CM: 4, CB: 14 },
    rows: [
      {
        lines: 'CE-02 CE-03',
        what: 'an Event says that the policy of the pool keeps a node',
        why: 'the pool says so itself, and an Event for each of its nodes would be written for months: `joiner explain` gives the reason',
        shown: {
          'test/scenarios/disruption/consolidationScenarios.ts': ['PL-01 under WhenEmpty a node with pods stays'],
          'shared/engine/disruption/decideDisruption.test.ts': ['a pool that never consolidates keeps it'],
          'shared/flows/apply/applyDecision.test.ts': ['says nothing of what passes by itself or is normal'],
        },
      },
      {
        lines: 'CM-01',
        what: 'underutilized nodes are counted',
        why: NOT_SENT,
        shown: { 'shared/engine/disruption/verdicts/verdicts.test.ts': ['is the rule that stopped them, with its numbers'] },
      },
      {
        lines: 'CM-02 CM-03 CM-04',
        what: 'a plan is dropped and counted if pods, nominations or budgets change before it is carried out',
        why: LOOKED_AT_LIVE,
        shown: {
          'shared/flows/apply/disruptClaim.test.ts': [
            'keeps a node that got a pod meanwhile, and opens it again',
            'opens the node again when a pod came while it was closed',
          ],
          'shared/flows/apply/carryOutIntents.test.ts': ['is taken back when one of its nodes has a pod that nobody planned for'],
          'test/crash/budgets.test.ts': ['is used and never overdrawn'],
        },
      },
      {
        lines: 'CB-09 CB-10 CB-11 CB-12 CB-13 CB-14',
        what: 'that a budget holds all nodes is not remembered as nothing to do',
        why: 'a decision that budgets hold names the time when a window of a budget begins or ends, and the cluster rests no longer than that',
        shown: {
          'shared/engine/disruption/decideDisruption.test.ts': ['a budget with a schedule holds it until its window ends'],
          'shared/flows/ledger/rest.test.ts': ['is trusted no longer than it says itself', 'is not at rest once something was said'],
          'test/e2e/consolidation.test.ts': ['an empty node stays while the window of a budget holds it'],
        },
      },
    ],
  },
]
