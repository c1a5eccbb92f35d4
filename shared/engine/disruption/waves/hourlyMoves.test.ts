import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE } from '../../../../test/builders/clock.ts'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import type { Decision } from '../../../model/decision.ts'
import type { BegunMove } from '../../../model/disruptionCommand.ts'
import { nodePoolName } from '../../../model/ids.ts'
import { CALM_ANNOTATION, LABEL } from '../../../model/labels.ts'
import { durationMs } from '../../../model/units.ts'

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
