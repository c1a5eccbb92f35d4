import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import type { BegunMove, ExtraNodes, MoveRest } from '../../model/disruptionCommand.ts'
import { clusterId, nodeClaimName, nodePoolName } from '../../model/ids.ts'
import { durationMs, type EpochMs } from '../../model/units.ts'
import { emptyLedger } from './nextLedger.ts'
import { rememberedAfter, withoutMoves } from './rest.ts'

const NOTHING = { actions: [], reasons: [] }
const COMMAND = disruptionCommand([nodeClaim({ name: 'default-a' })])

function begunAt(beganAt: EpochMs): BegunMove {
  return { pools: [nodePoolName('default')], beganAt }
}

function extraOf(...moved: readonly string[]): ExtraNodes {
  return { pools: [nodePoolName('default')], moved: moved.map(nodeClaimName), replacements: 1 }
}

function restUntil(until: EpochMs, ...moved: readonly string[]): MoveRest {
  return { moved: moved.map(nodeClaimName), claims: [], workloads: [], duration: durationMs(MINUTE), until }
}

describe('what the ledger remembers of moves', () => {
  it('is nothing where nothing was begun', () => {
    expect(rememberedAfter({}, NOTHING, { now: NOW, commands: [], claims: [] })).toEqual({})
  })

  it('is forgotten an hour after a move began', () => {
    const before = { begunMoves: [begunAt(ago(60 * MINUTE)), begunAt(ago(59 * MINUTE))] }
    const decided = { ...NOTHING, begunMoves: [begunAt(NOW)] }
    const after = rememberedAfter(before, decided, { now: NOW, commands: [], claims: [] })
    expect(after).toEqual({ begunMoves: [begunAt(ago(59 * MINUTE)), begunAt(NOW)] })
    expect(rememberedAfter(after, NOTHING, { now: hence(60 * MINUTE), commands: [], claims: [] })).toEqual({})
  })

  it('is forgotten at the end of a rest, and not while its move is under way', () => {
    const [over, moving, left, fresh] = [
      restUntil(NOW, 'x'),
      restUntil(NOW, 'default-a'),
      restUntil(hence(1), 'y'),
      restUntil(hence(2), 'z'),
    ]
    const decided = { ...NOTHING, moveRests: [fresh] }
    const after = rememberedAfter({ moveRests: [over, moving, left] }, decided, { now: NOW, commands: [COMMAND], claims: [] })
    expect(after).toEqual({ moveRests: [moving, left, fresh] })
  })

  it('is forgotten once all nodes of a move are gone', () => {
    const [gone, half] = [extraOf('x', 'y'), extraOf('x', 'default-a')]
    const claims = [nodeClaim({ name: 'default-a' })]
    expect(rememberedAfter({ extraNodes: [gone, half] }, NOTHING, { now: NOW, commands: [], claims })).toEqual({ extraNodes: [half] })
  })

  it('is forgotten of a move that is undone', () => {
    const backOff = { claims: [], pools: [], failures: 1, failedAt: NOW, until: hence(1) }
    const ended = { ...NOTHING, actions: [{ kind: 'endCommand', command: COMMAND, message: '', backOff } as const] }
    const before = { extraNodes: [extraOf('default-a')] }
    expect(rememberedAfter(before, ended, { now: NOW, commands: [], claims: [nodeClaim({ name: 'default-a' })] })).toEqual({})
  })

  it('is no rest of a move that came to nothing', () => {
    const ledger = { ...emptyLedger(clusterId('test')), moveRests: [restUntil(hence(1), 'default-a'), restUntil(hence(1), 'y')] }
    expect(withoutMoves(ledger, [COMMAND]).moveRests).toEqual([restUntil(hence(1), 'y')])
    expect(withoutMoves({ ...ledger, moveRests: [restUntil(hence(1), 'default-a')] }, [COMMAND])).not.toHaveProperty('moveRests')
    expect(withoutMoves({ ...ledger, extraNodes: [extraOf('default-a')] }, [COMMAND])).not.toHaveProperty('extraNodes')
  })
})
