import type { KarpenterGroup } from './karpenterGroup.ts'

const STEPS = 'shared/engine/lifecycle/stepNodeClaim.test.ts'

export const END_TO_END: readonly KarpenterGroup[] = [
  {
    about: 'whole clusters',
    kinds: { E2E: 15 },
    rows: [
      {
        lines: 'E2E-01',
        what: 'empty nodes, nodes whose pods fit elsewhere and nodes that are replaced drift within budgets, and not at all where a budget forbids it',
        shown: {
          'shared/engine/disruption/methods/drift.test.ts': ['DD-03 go as the budget allows'],
          'test/scenarios/disruption/driftScenarios.ts': [
            'DD-19 an empty one comes before one with pods',
            'F40 an image that comes at noon',
          ],
          'test/crash/newVersions.test.ts': ['each node is replaced once, as the budget allows', 'moves no node before the window'],
          'test/e2e/consolidation.test.ts': ['stops at a budget that closes in the middle of a wave'],
        },
      },
      {
        lines: 'E2E-02',
        what: 'a change of annotations, labels, taints, startup taints or requirements replaces nodes',
        shown: {
          'shared/model/driftHash.test.ts': ['PN-02 changes with'],
          'shared/engine/markers/decideMarkers.test.ts': [
            'where the template of its pool changed',
            'where its machine does not meet the requirements of its pool any more',
          ],
          'test/crash/everyWriteOfDrift.test.ts': ['are replaced two at a time, each with its new node ready before it goes'],
        },
      },
      {
        lines: 'E2E-03',
        what: 'nodes with hashes of another version get new ones and do not drift',
        shown: { 'shared/engine/markers/decideMarkers.test.ts': ['PN-05 DF-31 gets ours', 'keeps its verdict where it has drifted'] },
      },
      {
        lines: 'E2E-04 E2E-05',
        what: 'a node is open again once the time of its replacement is over, and the replacement stays',
        why: 'the replacement is removed with its move, unless it is initialized or has pods: nobody would use it',
        shown: {
          'test/crash/moves.test.ts': ['is undone at its deadline when its machines never join'],
          'shared/engine/disruption/commands/stepCommands.test.ts': [
            'has taken too long: what is coming and nobody waits for is removed',
            'keeps what is initialized as capacity',
            'a move among %i queued nodes has %i ms',
          ],
        },
      },
      {
        lines: 'E2E-09',
        what: 'pods that must not be disrupted, and pods that take long to end, are deleted in time for the deadline of their node',
        shown: {
          'test/e2e/drain.test.ts': ['ends by the deadline, whatever holds the pods'],
          'shared/engine/lifecycle/termination.test.ts': ['deletes pods that would outlast it, whatever protects them'],
        },
      },
      {
        lines: 'E2E-12',
        what: 'a node at its maximum age goes, and one new node has all its pods',
        shown: {
          'test/crash/crash.test.ts': ['ends machines at their age'],
          'test/scenarios/deletingNodes.ts': ['D7.1 all pods of a node share one new node'],
        },
      },
      {
        lines: 'E2E-13',
        what: 'the life of a claim without a pool, and its end by each cause',
        shown: {
          'test/e2e/standalone.test.ts': ['becomes a machine, whose pod is moved and which goes when %s is deleted'],
          'shared/engine/launch/planLaunch.test.ts': ['a size too small for the requests is left out'],
          [STEPS]: ['without its class it is given up', 'with a class that is not ready it is given up', 'a node that never came'],
          'test/e2e/machines.test.ts': ['what is deleted behind our back', 'is replaced after the time it has, and its claim says why'],
        },
      },
      {
        lines: 'E2E-15',
        what: 'hundreds of pods are placed, consolidated and drift in time, and without nodes that nobody needs',
        why: 'the clusters are played in virtual time, so that the numbers of nodes and moves are tested, and their times do not depend on a machine',
        shown: {
          'test/crash/waves.test.ts': ['500 small pods and 500 large ones, which 167 machines hold'],
          'test/crash/scaleDown.test.ts': ['move as few pods as possible, once, and buy nothing'],
          'test/crash/driftOfMany.test.ts': ['a hundred nodes with three hundred pods drift a fifth at a time'],
          'test/crash/day/day.test.ts': ['24 hours in virtual time'],
        },
      },
    ],
  },
  {
    about: 'work that is done twice, late, or by processes that end',
    kinds: { SV: 20 },
    rows: [],
  },
]
