import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import type { Decision } from '../../../model/decision.ts'
import type { MoveRest } from '../../../model/disruptionCommand.ts'
import { nodeClaimName, uid } from '../../../model/ids.ts'
import { ANNOTATION, CALM_ANNOTATION } from '../../../model/labels.ts'
import { durationMs } from '../../../model/units.ts'
import { decide } from '../../loadedCluster.ts'

const DEAR = 'Standard_D8as_v6'

/** One machine for each workload, with one small pod of it that a cheaper machine would take. An empty name is an empty machine. */
function machines(workloads: readonly string[], rest?: string): NonNullable<SnapshotShape['objects']> {
  const claims = workloads.map((_, index) => nodeClaim({ name: `default-n${index}`, size: DEAR }))
  return {
    nodePool: [
      nodePool({
        disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: durationMs(0), budgets: [{ nodes: '100%' }] },
        meta: { annotations: rest === undefined ? {} : { [CALM_ANNOTATION.restAfterMove]: rest } },
      }),
    ],
    nodeClaim: claims,
    node: claims.map(({ name }) => node({ claim: name, size: DEAR })),
    pod: workloads.flatMap((workload, index) => (workload === '' ? [] : [podOf(workload, index)])),
  }
}

function podOf(workload: string, index: number) {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: workload, uid: uid(workload) }
  return pod({ name: `p${index}`, cpus: 1, nodeName: `joiner-default-n${index}`, phase: 'Running', owner })
}

function resting(over: Partial<MoveRest>): readonly MoveRest[] {
  const none = { moved: [nodeClaimName('default-gone')], claims: [], workloads: [], duration: durationMs(30 * MINUTE) }
  return [{ ...none, until: hence(10 * MINUTE), ...over }]
}

function takenBy({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => {
    if (action.kind === 'startCommand') return action.command.candidates.map(({ claim }) => claim)
    return action.kind === 'deleteClaim' ? [action.claim] : []
  })
}

describe('the rest after a move', () => {
  it('keeps a node that got pods of it, and says how long', () => {
    const decided = disruptionOf(snapshot({ objects: machines(['a', 'b']), moveRests: resting({ claims: [nodeClaimName('default-n0')] }) }))
    expect(takenBy(decided)).toEqual(['default-n1'])
    expect(decided.reasons).toEqual([
      {
        code: 'DISRUPTION.CALM',
        subject: { kind: 'nodeClaim', name: 'default-n0' },
        message: 'its node got pods in a move a short while ago (REST_AFTER_MOVE, joiner.dev/rest-after-move); 600 s are left',
        fields: { seconds: 600 },
      },
    ])
    expect(decided.wakeAt).toBe(hence(10 * MINUTE))
  })

  it('keeps nodes with other pods of the moved workload', () => {
    const decided = disruptionOf(snapshot({ objects: machines(['a', 'b']), moveRests: resting({ workloads: [uid('a')] }) }))
    expect(takenBy(decided)).toEqual(['default-n1'])
    expect(decided.reasons[0]?.message).toBe(
      'pod default/p0 of it belongs to a workload with pods in a move a short while ago (REST_AFTER_MOVE, joiner.dev/rest-after-move); 600 s are left',
    )
  })

  it('lasts at least as long as the move is under way', () => {
    const commands = [disruptionCommand([nodeClaim({ name: 'default-gone' })])]
    const rests = resting({ workloads: [uid('a')], until: ago(MINUTE) })
    const decided = disruptionOf(snapshot({ objects: machines(['a', 'b']), moveRests: rests, commands }))
    expect(takenBy(decided)).toEqual(['default-n1'])
    expect(decided.reasons[0]?.message).toContain('a workload with pods in a move that is under way')
    expect(decided.wakeAt).toBeUndefined()
  })

  it('begins anew in the decision in which the move is done', () => {
    const commands = [disruptionCommand([nodeClaim({ name: 'default-gone' })], { replacements: [] })]
    const rests = resting({ workloads: [uid('a')], until: ago(MINUTE) })
    const decided = decide(snapshot({ objects: machines(['a', 'b']), moveRests: rests, commands }))
    expect(decided.actions.flatMap(({ kind }) => (kind === 'endCommand' ? [kind] : []))).toHaveLength(1)
    expect(takenBy(decided)).toEqual(['default-n1'])
    expect(decided.reasons.map(({ fields }) => fields)).toEqual([{ seconds: 1800 }])
  })

  it('is over at its end', () => {
    const rests = resting({ workloads: [uid('a')], claims: [nodeClaimName('default-n1')], until: hence(0) })
    expect(takenBy(disruptionOf(snapshot({ objects: machines(['a', 'b']), moveRests: rests })))).toHaveLength(2)
  })

  it('keeps neither an empty node nor a drifted one', () => {
    const objects = machines(['', 'a'])
    const drifted = { ...nodeClaim({ name: 'default-n1', size: DEAR }) }
    const conditions = [...drifted.status.conditions, condition('Drifted')]
    const nodeClaims = [...(objects.nodeClaim?.slice(0, 1) ?? []), { ...drifted, status: { ...drifted.status, conditions } }]
    const rests = resting({ claims: [nodeClaimName('default-n0'), nodeClaimName('default-n1')], workloads: [uid('a')] })
    const decided = disruptionOf(snapshot({ objects: { ...objects, nodeClaim: nodeClaims }, moveRests: rests }))
    expect([...takenBy(decided)].sort()).toEqual(['default-n0', 'default-n1'])
  })

  it('begins with the move, for its new nodes and its workloads', () => {
    const decided = disruptionOf(snapshot({ objects: machines(['a'], '30m') }))
    const [made] = decided.actions.flatMap((action) => (action.kind === 'createClaim' ? [action.draft.name] : []))
    expect(decided.moveRests).toEqual([
      {
        moved: ['default-n0'],
        claims: [made],
        workloads: ['a'],
        duration: durationMs(30 * MINUTE),
        until: hence(30 * MINUTE),
      },
    ])
  })

  it('begins for the nodes that get the pods', () => {
    const { node: nodes = [], ...objects } = machines(['a', 'b'], '30m')
    const staying = node({ claim: 'default-n1', size: DEAR, meta: { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } } })
    const decided = disruptionOf(snapshot({ objects: { ...objects, node: [...nodes.slice(0, 1), staying] } }))
    expect(takenBy(decided)).toEqual(['default-n0'])
    expect(decided.moveRests).toMatchObject([{ moved: ['default-n0'], claims: ['default-n1'], workloads: ['a'] }])
  })

  it('is remembered only where a pool asks for it, and of moves with pods', () => {
    expect(disruptionOf(snapshot({ objects: machines(['a'], '0s') })).moveRests).toBeUndefined()
    expect(disruptionOf(snapshot({ objects: machines([''], '30m') })).moveRests).toBeUndefined()
  })

  it('lets one decision begin one move of a workload', () => {
    const twenty = (name: (index: number) => string, rest: string) =>
      takenBy(
        disruptionOf(
          snapshot({
            objects: machines(
              Array.from({ length: 20 }, (_, index) => name(index)),
              rest,
            ),
          }),
        ),
      )
    expect(twenty(() => 'a', '30m')).toHaveLength(1)
    expect(twenty(() => 'a', '0s').length).toBeGreaterThan(1)
    expect(twenty((index) => `w${index}`, '30m').length).toBeGreaterThan(1)
  })
})
