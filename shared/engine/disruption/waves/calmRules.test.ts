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
import type { BegunMove, ExtraNodes, MoveRest } from '../../../model/disruptionCommand.ts'
import { nodeClaimName, nodePoolName, uid } from '../../../model/ids.ts'
import { ANNOTATION, CALM_ANNOTATION, LABEL } from '../../../model/labels.ts'
import { durationMs } from '../../../model/units.ts'
import { decide } from '../../loadedCluster.ts'

const HOUR = 60 * MINUTE
const DEAR = 'Standard_D8as_v6'

/** `count` machines of each pool. `limits`: most moves an hour by pool. `isBusy`: each machine has a small pod that a cheaper one would take. */
function pools(count: number, limits: { readonly [pool: string]: string | undefined }, isBusy = false): SnapshotShape['objects'] {
  const names = Object.keys(limits)
  const claims = names.flatMap((name) =>
    Array.from({ length: count }, (_, index) => nodeClaim({ name: `${name}-n${index}`, nodePool: name, size: DEAR })),
  )
  const poolOf = (claim: string): string => claim.replace(/-n\d+$/, '')
  return {
    nodePool: names.map((name) =>
      nodePool({
        name,
        disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: durationMs(0), budgets: [{ nodes: '100%' }] },
        meta: { annotations: limits[name] === undefined ? {} : { [CALM_ANNOTATION.mostMovesAnHour]: limits[name] } },
      }),
    ),
    nodeClaim: claims,
    node: claims.map(({ name }) => node({ claim: name, nodePool: poolOf(name), size: DEAR })),
    pod: isBusy
      ? claims.map(({ name }) =>
          pod({
            name: `on-${name}`,
            cpus: 1,
            nodeName: `joiner-${name}`,
            phase: 'Running',
            nodeSelector: { [LABEL.nodePool]: poolOf(name) },
          }),
        )
      : [],
  }
}

function begun(pool: string, ...minutesAgo: readonly number[]): readonly BegunMove[] {
  return minutesAgo.map((minutes) => ({ pools: [nodePoolName(pool)], beganAt: ago(minutes * MINUTE) }))
}

function takenBy({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => {
    if (action.kind === 'startCommand') return action.command.candidates.map(({ claim }) => claim)
    return action.kind === 'deleteClaim' ? [action.claim] : []
  })
}

describe('most moves an hour', () => {
  it('let so many empty machines go, and remember them', () => {
    const decided = disruptionOf(snapshot({ objects: pools(3, { a: '2' }) ?? {} }))
    expect(takenBy(decided)).toEqual(['a-n0', 'a-n1'])
    const move = { pools: ['a'], beganAt: hence(0) }
    expect(decided.begunMoves).toEqual([move, move])
    expect(decided.wakeAt).toBe(hence(HOUR))
  })

  it('count moves that began before, until each is an hour old, and say when the next may begin', () => {
    const decided = disruptionOf(snapshot({ objects: pools(3, { a: '2' }) ?? {}, begunMoves: begun('a', 1, 50, 60, 70) }))
    expect(takenBy(decided)).toEqual([])
    expect(decided.begunMoves).toBeUndefined()
    expect(decided.wakeAt).toBe(hence(10 * MINUTE))
    expect(decided.reasons[0]).toEqual({
      code: 'DISRUPTION.CALM',
      subject: { kind: 'nodeClaim', name: 'a-n0' },
      message: 'nodepool a lets moves of its nodes begin 2 times an hour (joiner.dev/most-moves-an-hour); the next may begin in 600 s',
      fields: { most: 2, begun: 2, seconds: 600 },
    })
  })

  it('wait for the oldest moves beyond a limit that became smaller', () => {
    const decided = disruptionOf(snapshot({ objects: pools(1, { a: '2' }) ?? {}, begunMoves: begun('a', 10, 20, 30, 40) }))
    expect(decided.wakeAt).toBe(hence(40 * MINUTE))
  })

  it('are those of each pool by itself', () => {
    const decided = disruptionOf(snapshot({ objects: pools(2, { a: '1', b: '1', c: undefined }) ?? {}, begunMoves: begun('a', 5) }))
    expect(takenBy(decided)).toEqual(['b-n0', 'c-n0', 'c-n1'])
    expect(decided.begunMoves).toEqual([{ pools: ['b'], beganAt: hence(0) }])
  })

  it('hold machines with pods too, and several that go together are one move', () => {
    const busy = (limit: string, moves: readonly BegunMove[] = []) =>
      disruptionOf(snapshot({ objects: pools(3, { a: limit }, true) ?? {}, begunMoves: moves }))
    expect(takenBy(busy('1', begun('a', 5)))).toEqual([])
    const one = busy('1')
    expect(takenBy(one)).toEqual(['a-n0', 'a-n1', 'a-n2'])
    expect(one.begunMoves).toHaveLength(1)
  })

  it('hold machines with pods where many are tried one by one', () => {
    const many = (limit: string) => disruptionOf(snapshot({ objects: pools(20, { a: limit }, true) ?? {} }))
    expect(takenBy(many('3'))).toHaveLength(3)
    expect(many('3').begunMoves).toHaveLength(3)
    expect(takenBy(many('0')).length).toBeGreaterThan(3)
  })
})

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

type Machine = { readonly zone: string; readonly isEmpty?: true; readonly isDrifted?: true }

/** Dear machines. Each has a small pod that stays in its zone, where a cheaper machine would take it. */
function dearMachines(limit: string, shapes: readonly Machine[]): NonNullable<SnapshotShape['objects']> {
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

function replacedBy({ actions }: Decision): readonly string[] {
  return actions
    .flatMap((action) => {
      if (action.kind === 'startCommand') return action.command.candidates.map(({ claim }) => String(claim))
      return action.kind === 'deleteClaim' ? [action.claim] : []
    })
    .sort()
}

describe('the most extra nodes', () => {
  it('let as many replacements begin at once, and remember them', () => {
    const decided = disruptionOf(snapshot({ objects: dearMachines('1', TWO) }))
    expect(replacedBy(decided)).toEqual(['default-n0'])
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
    expect(replacedBy(disruptionOf(snapshot({ objects: dearMachines('2', TWO) })))).toEqual(['default-n0', 'default-n1'])
  })

  it('are remembered only of pools with a limit', () => {
    const decided = disruptionOf(snapshot({ objects: dearMachines('0', TWO) }))
    expect(replacedBy(decided)).toEqual(['default-n0', 'default-n1'])
    expect(decided.extraNodes).toBeUndefined()
  })

  it.each<[what: string, before: ExtraNodes, want: readonly string[]]>([
    ['while the moved node is there', extra(1, 'default-n0'), []],
    ['until a moved node has gone for each', extra(2, 'default-n0', 'default-gone'), []],
    ['no longer once that many have gone', extra(1, 'default-n0', 'default-gone'), ['default-n1']],
    ['no longer once all have gone', extra(2, 'default-gone'), ['default-n1']],
    ['not in another pool', { ...extra(1, 'default-n0'), pools: [nodePoolName('other')] }, ['default-n1']],
  ])('count replacements of earlier moves %s', (_what, before, want) => {
    const { nodeClaim: claims = [], ...objects } = dearMachines('1', TWO)
    const deleting = claims.map((claim, index) =>
      index === 0 ? { ...claim, meta: { ...claim.meta, deletedAt: claim.meta.createdAt } } : claim,
    )
    expect(replacedBy(disruptionOf(snapshot({ objects: { ...objects, nodeClaim: deleting }, extraNodes: [before] })))).toEqual(want)
  })

  it('count no replacement of a move that is undone in the same decision', () => {
    const shapes: readonly Machine[] = [{ zone: 'eastus-1' }, { zone: 'eastus-2' }]
    const late = disruptionCommand([nodeClaim({ name: 'default-n0' })], {
      deadline: ago(MINUTE),
      replacements: [nodeClaimName('default-gone')],
    })
    const given = snapshot({ objects: dearMachines('1', shapes), commands: [late], extraNodes: [extra(1, 'default-n0')] })
    const decided = decide(given)
    expect(decided.actions.flatMap((action) => (action.kind === 'endCommand' ? [action.backOff?.failures] : []))).toEqual([1])
    expect(replacedBy(decided)).toEqual(['default-n1'])
  })

  it('hold no node that goes without a replacement', () => {
    const shapes: readonly Machine[] = [...TWO, { zone: 'eastus-1', isEmpty: true }]
    expect(replacedBy(disruptionOf(snapshot({ objects: dearMachines('1', shapes), extraNodes: [extra(1, 'default-n0')] })))).toContain(
      'default-n2',
    )
  })

  it('hold no drifted node, whose replacement counts', () => {
    const shapes: readonly Machine[] = [{ zone: 'eastus-1' }, { zone: 'eastus-2', isDrifted: true }]
    const decided = disruptionOf(snapshot({ objects: dearMachines('1', shapes) }))
    expect(replacedBy(decided)).toEqual(['default-n1'])
    expect(decided.reasons.map(({ fields }) => fields)).toEqual([{ most: 1, needed: 1, before: 1 }])
    const drifted = shapes.map((shape): Machine => ({ ...shape, isDrifted: true }))
    expect(replacedBy(disruptionOf(snapshot({ objects: dearMachines('1', drifted) })))).toEqual(['default-n0', 'default-n1'])
  })
})
