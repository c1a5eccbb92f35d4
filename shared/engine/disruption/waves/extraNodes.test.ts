import { describe, expect, it } from 'vitest'
import { ago, MINUTE } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import type { Decision } from '../../../model/decision.ts'
import type { ExtraNodes } from '../../../model/disruptionCommand.ts'
import { nodeClaimName, nodePoolName } from '../../../model/ids.ts'
import { CALM_ANNOTATION, LABEL } from '../../../model/labels.ts'
import { durationMs } from '../../../model/units.ts'
import { decide } from '../../loadedCluster.ts'

const DEAR = 'Standard_D8as_v6'

type Machine = { readonly zone: string; readonly isEmpty?: true; readonly isDrifted?: true }

/** Dear machines. Each has a small pod that stays in its zone, where a cheaper machine would take it. */
function machines(limit: string, shapes: readonly Machine[]): NonNullable<SnapshotShape['objects']> {
  const claims = shapes.map(({ zone, isDrifted }, index) => {
    const claim = nodeClaim({ name: `default-n${index}`, size: DEAR, zone })
    const conditions = [...claim.status.conditions, condition('Drifted')]
    return isDrifted === undefined ? claim : { ...claim, status: { ...claim.status, conditions } }
  })
  return {
    nodePool: [
      nodePool({
        disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: durationMs(0), budgets: [{ nodes: '100%' }] },
        meta: { annotations: { [CALM_ANNOTATION.mostExtraNodes]: limit } },
      }),
    ],
    nodeClaim: claims,
    node: shapes.map(({ zone }, index) => node({ claim: `default-n${index}`, size: DEAR, zone })),
    pod: shapes.flatMap(({ zone, isEmpty }, index) =>
      isEmpty === true
        ? []
        : [pod({ name: `p${index}`, nodeName: `joiner-default-n${index}`, phase: 'Running', nodeSelector: { [LABEL.zone]: zone } })],
    ),
  }
}

const TWO: readonly Machine[] = [{ zone: 'eastus-1' }, { zone: 'eastus-2' }]

function extra(replacements: number, ...moved: readonly string[]): ExtraNodes {
  return { pools: [nodePoolName('default')], moved: moved.map(nodeClaimName), replacements }
}

function takenBy({ actions }: Decision): readonly string[] {
  return actions
    .flatMap((action) => {
      if (action.kind === 'startCommand') return action.command.candidates.map(({ claim }) => String(claim))
      return action.kind === 'deleteClaim' ? [action.claim] : []
    })
    .sort()
}

describe('the most extra nodes', () => {
  it('let as many replacements begin at once, and remember them', () => {
    const decided = disruptionOf(snapshot({ objects: machines('1', TWO) }))
    expect(takenBy(decided)).toEqual(['default-n0'])
    expect(decided.extraNodes).toEqual([extra(1, 'default-n0')])
    expect(decided.reasons).toEqual([
      {
        code: 'DISRUPTION.CALM',
        subject: { kind: 'nodeClaim', name: 'default-n1' },
        message:
          'nodes that the move makes before its own nodes go: 1; such nodes of other moves: 1; nodepool default allows 1 (joiner.dev/most-extra-nodes)',
        fields: { most: 1, needed: 1, before: 1 },
      },
    ])
    expect(takenBy(disruptionOf(snapshot({ objects: machines('2', TWO) })))).toEqual(['default-n0', 'default-n1'])
  })

  it('are remembered only of pools with a limit', () => {
    const decided = disruptionOf(snapshot({ objects: machines('0', TWO) }))
    expect(takenBy(decided)).toEqual(['default-n0', 'default-n1'])
    expect(decided.extraNodes).toBeUndefined()
  })

  it.each<[what: string, before: ExtraNodes, want: readonly string[]]>([
    ['while the moved node is there', extra(1, 'default-n0'), []],
    ['until a moved node has gone for each', extra(2, 'default-n0', 'default-gone'), []],
    ['no longer once that many have gone', extra(1, 'default-n0', 'default-gone'), ['default-n1']],
    ['no longer once all have gone', extra(2, 'default-gone'), ['default-n1']],
    ['not in another pool', { ...extra(1, 'default-n0'), pools: [nodePoolName('other')] }, ['default-n1']],
  ])('count replacements of earlier moves %s', (_what, before, want) => {
    const { nodeClaim: claims = [], ...objects } = machines('1', TWO)
    const deleting = claims.map((claim, index) =>
      index === 0 ? { ...claim, meta: { ...claim.meta, deletedAt: claim.meta.createdAt } } : claim,
    )
    expect(takenBy(disruptionOf(snapshot({ objects: { ...objects, nodeClaim: deleting }, extraNodes: [before] })))).toEqual(want)
  })

  it('count no replacement of a move that is undone in the same decision', () => {
    const shapes: readonly Machine[] = [{ zone: 'eastus-1' }, { zone: 'eastus-2' }]
    const late = disruptionCommand([nodeClaim({ name: 'default-n0' })], {
      deadline: ago(MINUTE),
      replacements: [nodeClaimName('default-gone')],
    })
    const given = snapshot({ objects: machines('1', shapes), commands: [late], extraNodes: [extra(1, 'default-n0')] })
    const decided = decide(given)
    expect(decided.actions.flatMap((action) => (action.kind === 'endCommand' ? [action.backOff?.failures] : []))).toEqual([1])
    expect(takenBy(decided)).toEqual(['default-n1'])
  })

  it('hold no node that goes without a replacement', () => {
    const shapes: readonly Machine[] = [...TWO, { zone: 'eastus-1', isEmpty: true }]
    expect(takenBy(disruptionOf(snapshot({ objects: machines('1', shapes), extraNodes: [extra(1, 'default-n0')] })))).toContain(
      'default-n2',
    )
  })

  it('hold no drifted node, whose replacement counts', () => {
    const shapes: readonly Machine[] = [{ zone: 'eastus-1' }, { zone: 'eastus-2', isDrifted: true }]
    const decided = disruptionOf(snapshot({ objects: machines('1', shapes) }))
    expect(takenBy(decided)).toEqual(['default-n1'])
    expect(decided.reasons.map(({ fields }) => fields)).toEqual([{ most: 1, needed: 1, before: 1 }])
    const drifted = shapes.map((shape): Machine => ({ ...shape, isDrifted: true }))
    expect(takenBy(disruptionOf(snapshot({ objects: machines('1', drifted) })))).toEqual(['default-n0', 'default-n1'])
  })
})
