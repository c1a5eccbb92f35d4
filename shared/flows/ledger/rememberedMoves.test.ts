import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import type { BegunMove, MoveRest } from '../../model/disruptionCommand.ts'
import { clusterId, nodeClaimName, nodePoolName } from '../../model/ids.ts'
import { durationMs, type EpochMs } from '../../model/units.ts'
import { emptyLedger } from './intents.ts'
import { rememberedAfter, withoutRestsOf } from './rememberedMoves.ts'

const NOTHING = { actions: [], reasons: [] }
const COMMAND = disruptionCommand([nodeClaim({ name: 'default-a' })])

function begunAt(beganAt: EpochMs): BegunMove {
  return { pools: [nodePoolName('default')], beganAt }
}

function restUntil(until: EpochMs, ...moved: readonly string[]): MoveRest {
  return { moved: moved.map(nodeClaimName), claims: [], workloads: [], duration: durationMs(MINUTE), until }
}

describe('what the ledger remembers of moves', () => {
  it('is nothing where nothing was begun', () => {
    expect(rememberedAfter({}, NOTHING, { now: NOW, commands: [] })).toEqual({})
  })

  it('is forgotten an hour after a move began', () => {
    const before = { begunMoves: [begunAt(ago(60 * MINUTE)), begunAt(ago(59 * MINUTE))] }
    const decided = { ...NOTHING, begunMoves: [begunAt(NOW)] }
    const after = rememberedAfter(before, decided, { now: NOW, commands: [] })
    expect(after).toEqual({ begunMoves: [begunAt(ago(59 * MINUTE)), begunAt(NOW)] })
    expect(rememberedAfter(after, NOTHING, { now: hence(60 * MINUTE), commands: [] })).toEqual({})
  })

  it('is forgotten at the end of a rest, and not while its move is under way', () => {
    const [over, moving, left, fresh] = [
      restUntil(NOW, 'x'),
      restUntil(NOW, 'default-a'),
      restUntil(hence(1), 'y'),
      restUntil(hence(2), 'z'),
    ]
    const decided = { ...NOTHING, moveRests: [fresh] }
    const after = rememberedAfter({ moveRests: [over, moving, left] }, decided, { now: NOW, commands: [COMMAND] })
    expect(after).toEqual({ moveRests: [moving, left, fresh] })
  })

  it('is no rest of a move that came to nothing', () => {
    const ledger = { ...emptyLedger(clusterId('test')), moveRests: [restUntil(hence(1), 'default-a'), restUntil(hence(1), 'y')] }
    expect(withoutRestsOf(ledger, [COMMAND]).moveRests).toEqual([restUntil(hence(1), 'y')])
    expect(withoutRestsOf({ ...ledger, moveRests: [restUntil(hence(1), 'default-a')] }, [COMMAND])).not.toHaveProperty('moveRests')
  })
})
