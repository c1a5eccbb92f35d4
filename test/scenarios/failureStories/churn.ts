import type { FailureStory } from './failureStory.ts'

const STEADY = 'test/crash/failures/steadyLoad.test.ts'
const CALM = 'test/crash/failures/calmNodes.test.ts'

/** Nodes that come and go without need. */
export const CHURN: readonly FailureStory[] = [
  {
    story: 'F1',
    what: 'a pod never fits on the node that was made for it, and nodes are created and deleted for ever',
    holds: 'at most two nodes are made, then the pod waits with a reason, and the next choice counts on the room that nodes really have',
    but: 'only less CPU, memory and ephemeral storage is learned. A taint that nobody declared ends with F2',
    shown: {
      'test/crash/failures/shortNodes.test.ts': [
        'F1: nodes have a MiB less than promised',
        'gets the next size after one node',
        'waits with a reason after one node',
      ],
      'shared/engine/offering/shortSizes.test.ts': ['F1: what nodes lack', 'is remembered when the nodes are gone'],
    },
  },
  {
    story: 'F2',
    what: 'a network plugin puts a taint on new nodes that nobody declared, and the waiting pod is counted again',
    holds: 'no second node is made for the pod before a deadline',
    shown: {
      'test/crash/undeclaredTaint.test.ts': ['F2: a network plugin', 'no second node is made for the same pods'],
      'test/crash/runaway.test.ts': ['E2E-07 nodes that somebody taints for good', 'do not become ever more'],
    },
  },
  {
    story: 'F4',
    what: 'consolidation replaces nodes by others of the same kind for hours',
    holds: 'with a steady load over 24 hours, moves end after three rounds on average, and no pod is moved twice in an hour',
    but: 'single clusters need four rounds. Without the annotation joiner.dev/rest-after-move, the next round may move a pod again that came for a moved pod. Soft memory pressure is not played',
    shown: {
      [STEADY]: ['F4: a load that stays the same', 'moves no pod any more after three rounds', 'moves no pod twice in an hour'],
      'test/crash/day/rounds.test.ts': ['ends no hour with more nodes, and has no circle'],
    },
  },
  {
    story: 'F5',
    what: 'nodes that are nearly full are disrupted while idle nodes stay',
    holds: 'idle nodes go first, and a full node stays',
    but: 'a full node may be replaced by a later decision, if a cheaper size holds its pods',
    shown: { 'test/scenarios/disruption/consolidationScenarios.ts': ['F5 an idle node goes, and a full one stays'] },
  },
  {
    story: 'F6',
    what: 'consolidation leaves fifty half-empty nodes, and says nothing',
    holds: 'the nodes become as few as their pods need within three decisions that remove nodes, or each node has a reason',
    shown: {
      'test/properties/halfEmpty.test.ts': [
        'F6: fifty nodes of which preferred spreads',
        'become as few as their pods need',
        'each go or have a reason',
      ],
      'shared/engine/disruption/methods/strategies.test.ts': ['F6 are consolidated in the best way that was found'],
    },
  },
  {
    story: 'F7',
    what: 'new nodes have a newer version than the control plane, and each has drifted when it comes up',
    holds: 'nodes that were made for the present template do not drift, and drift stops after two moves in a row',
    shown: {
      'shared/engine/markers/decideMarkers.test.ts': [
        'F7 the kubelet is newer than the control plane',
        'F7 the machine was made for the present',
      ],
      'shared/engine/disruption/moves/move.test.ts': ['F7 stops after two moves in a row'],
      'test/crash/newVersions.test.ts': ['F7 is no drift of nodes that were made for it', 'F7 are replaced twice, and then stay'],
    },
  },
  {
    story: 'F8',
    what: 'a job each five minutes makes nodes come and go all day',
    holds: 'over two hours, the number of nodes is steady after the third run',
    but: 'only if consolidateAfter of the pool is longer than the time between the runs. With 0s, empty nodes go at once, as the pool asks',
    shown: { [CALM]: ['F8: the number of nodes stays after the third run'] },
  },
  {
    story: 'F9',
    what: 'a new node is removed before its pod starts',
    holds: 'no node with a nominated pod is removed, also with a slow image or a slow volume',
    shown: {
      [CALM]: ['F9: no node is removed before its pod starts', 'its image is pulled slowly', 'the scheduler has not bound it'],
      'shared/engine/disruption/candidates/candidate.test.ts': ['DISRUPTION.NOMINATED'],
    },
  },
]
