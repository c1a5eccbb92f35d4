import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import type { Action } from '../../../model/decision.ts'
import type { BackOff, MoveRest } from '../../../model/disruptionCommand.ts'
import { nodeClaimName, uid } from '../../../model/ids.ts'
import { durationMs } from '../../../model/units.ts'
import { restsAfter, without } from './moveRests.ts'

const BACK_OFF: BackOff = { claims: [], pools: [], failures: 1, failedAt: NOW, until: hence(MINUTE) }

function restOf(...moved: readonly string[]): MoveRest {
  return { moved: moved.map(nodeClaimName), claims: [], workloads: [uid('w')], duration: durationMs(30 * MINUTE), until: ago(MINUTE) }
}

function commandOf(name: string) {
  return disruptionCommand([nodeClaim({ name })])
}

function over(name: string, backOff?: BackOff): Action {
  return { kind: 'endCommand', command: commandOf(name), message: '', ...(backOff === undefined ? {} : { backOff }) }
}

describe('a rest after a move', () => {
  it('begins anew when the move is done', () => {
    expect(restsAfter([restOf('a'), restOf('b')], [over('a')], NOW)).toEqual([{ ...restOf('a'), until: hence(30 * MINUTE) }, restOf('b')])
  })

  it('stands while the command of its move goes on', () => {
    const kept = { kind: 'keepCommand', command: commandOf('a') } as const
    expect(restsAfter([restOf('a')], [kept], NOW)).toEqual([restOf('a')])
  })

  it('ends with a move that came to nothing', () => {
    expect(restsAfter([restOf('a'), restOf('b')], [over('a', BACK_OFF)], NOW)).toEqual([restOf('b')])
  })

  it('goes on while another node of the move goes', () => {
    expect(without([restOf('a', 'b')], [commandOf('a')])).toEqual([restOf('b')])
    expect(without([restOf('a', 'b')], [commandOf('a'), commandOf('b')])).toEqual([])
  })
})
