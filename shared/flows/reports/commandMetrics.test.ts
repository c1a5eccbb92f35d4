import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { Action, DeleteClaim } from '../../model/decision.ts'
import { clusterId } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { DisruptionReason } from '../../model/nodePool.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { measureDecided, measureDisrupted, measureFailed } from './claimMetrics.ts'

const CLAIM = nodeClaim({ name: 'default-a' })
const ENDED: DeleteClaim = { kind: 'deleteClaim', claim: CLAIM.name, uid: CLAIM.meta.uid, because: 'Empty' }
const COMMAND = disruptionCommand([CLAIM])
const OTHER = nodeClaim({ name: 'default-b' })

function starts(claims: readonly NodeClaim[], reason: DisruptionReason): Action {
  return { kind: 'startCommand', command: disruptionCommand(claims, { reason }) }
}

function measured(measure: (deps: ClusterDeps) => void): readonly (readonly unknown[])[] {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  measure({ ...world.ports, settings: settings() })
  return world.telemetry.measures.map(({ name, value, fields }) => [name, value, fields])
}

describe('metrics of moves', () => {
  it('count the moves that a decision begins, and no step of a move under way', () => {
    const actions = [ENDED, { ...ENDED, command: '6-0' }, { kind: 'startCommand', command: COMMAND }] as const
    const name = 'karpenter_voluntary_disruption_decisions_total'
    expect(measured((deps) => measureDecided(deps, actions))).toEqual([
      [name, 1, { cluster: 'test', reason: 'empty', decision: 'delete' }],
      [name, 1, { cluster: 'test', reason: 'drifted', decision: 'replace' }],
    ])
  })

  it.each<[sentence: string, actions: readonly Action[], want: readonly (readonly [value: number, reason: string, decision: string])[]]>([
    ['an empty node', [ENDED], [[1, 'empty', 'delete']]],
    [
      'two empty nodes',
      [ENDED, ENDED],
      [
        [1, 'empty', 'delete'],
        [1, 'empty', 'delete'],
      ],
    ],
    ['a drifted node that goes', [{ ...ENDED, because: 'Drifted' }], [[1, 'drifted', 'delete']]],
    ['a drifted node that is replaced', [starts([CLAIM], 'Drifted')], [[1, 'drifted', 'replace']]],
    ['a node that is not used enough', [{ ...ENDED, because: 'Underutilized' }], [[1, 'underutilized', 'delete']]],
    ['two nodes that are replaced together', [starts([CLAIM, OTHER], 'Underutilized')], [[1, 'underutilized', 'replace']]],
  ])(
    'count a move for each node that goes without a replacement, and one for nodes that are replaced together: %s',
    (_sentence, actions, want) => {
      const got = measured((deps) => measureDecided(deps, actions))
      expect(got).toEqual(
        want.map(([value, reason, decision]) => [
          'karpenter_voluntary_disruption_decisions_total',
          value,
          { cluster: 'test', reason, decision },
        ]),
      )
    },
  )

  it('count machines and pods of what is taken', () => {
    expect(measured((deps) => measureDisrupted(deps, CLAIM, { because: 'Underutilized', pods: 3 }))).toEqual([
      [
        'karpenter_nodeclaims_disrupted_total',
        1,
        { cluster: 'test', nodePool: 'default', capacityType: 'on-demand', reason: 'underutilized' },
      ],
      ['karpenter_pods_disruption_initiated_total', 3, { cluster: 'test', reason: 'underutilized' }],
    ])
  })

  it('count what came to nothing', () => {
    expect(measured((deps) => measureFailed(deps, COMMAND))).toEqual([
      ['karpenter_voluntary_disruption_queue_failures_total', 1, { cluster: 'test', reason: 'drifted', decision: 'replace' }],
    ])
  })
})
