import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import type { Action } from '../../../model/decision.ts'
import type { BackOff, MoveRest } from '../../../model/disruptionCommand.ts'
import { nodeClaimName, nodePoolName, uid } from '../../../model/ids.ts'
import { durationMs } from '../../../model/units.ts'
import { backOffOf, FIRST_REST, isRemembered, restMessage, restOfRefused, restsAfter, restsOf, without } from './moveRests.ts'

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

const CLAIM = nodeClaim({ name: 'default-a' })
const COMMAND = disruptionCommand([CLAIM])
const [DEFAULT, OTHER] = [nodePoolName('default'), nodePoolName('other')]

/** A rest of ten minutes that ended this long ago. */
function ended(ms: number, over: Partial<BackOff> = {}): BackOff {
  return { claims: [], pools: [DEFAULT], failures: 2, failedAt: ago(ms + 10 * MINUTE), until: ago(ms), ...over }
}

const failuresAfter = (...before: readonly BackOff[]): number => backOffOf(COMMAND, before, NOW, FIRST_REST.failed).failures

describe('the rest after a failed move', () => {
  it('is of the nodes and pools of the move', () => {
    const rest = { claims: [CLAIM.name], pools: [DEFAULT], failures: 1, failedAt: NOW, until: hence(10 * MINUTE) }
    expect(backOffOf(COMMAND, [], NOW, FIRST_REST.failed)).toEqual(rest)
  })

  it('doubles with each failure that is remembered', () => {
    expect(failuresAfter(ended(MINUTE))).toBe(3)
    expect(backOffOf(COMMAND, [ended(MINUTE)], NOW, FIRST_REST.failed).until).toBe(hence(40 * MINUTE))
    expect(failuresAfter(ended(MINUTE, { failures: 4 }), ended(MINUTE))).toBe(5)
  })

  it('counts rests of moves that had one of its pools', () => {
    expect(failuresAfter(ended(MINUTE, { pools: [OTHER, DEFAULT] }))).toBe(3)
    expect(failuresAfter(ended(MINUTE, { pools: [OTHER] }))).toBe(1)
  })

  it('of a repair and of another move do not make each other longer', () => {
    const repair = { ...COMMAND, reason: 'Unhealthy' } as const
    const restOfRepair = (...before: readonly BackOff[]) => backOffOf(repair, before, NOW, FIRST_REST.failed)
    expect(restOfRepair(ended(MINUTE))).toMatchObject({ failures: 1, isOfRepair: true })
    expect(restOfRepair(ended(MINUTE, { isOfRepair: true }))).toMatchObject({ failures: 3 })
    expect(failuresAfter(ended(MINUTE, { isOfRepair: true }))).toBe(1)
    const unread = { code: 'KUBE.FAILED', message: '', unread: true } as const
    expect(restOfRefused(repair, unread, [], NOW)).toMatchObject({ unread: true, isOfRepair: true })
  })

  it('is remembered for as long as it lasted', () => {
    expect(isRemembered(ended(10 * MINUTE - 1), NOW)).toBe(true)
    expect(isRemembered(ended(10 * MINUTE), NOW)).toBe(false)
  })

  it('holds its nodes until it ends', () => {
    const rest = { ...ended(0), claims: [CLAIM.name], until: hence(1) }
    expect(restsOf(CLAIM, [rest], NOW)).toEqual([rest])
    expect(restsOf(nodeClaim({ name: 'default-b' }), [rest], NOW)).toEqual([])
    expect(restsOf(CLAIM, [{ ...rest, until: NOW }], NOW)).toEqual([])
  })

  it('is a minute each time if the pods could not be read, and makes no other rest longer', () => {
    const unread = { code: 'KUBE.FAILED', message: 'no answer', unread: true } as const
    const rest = restOfRefused(COMMAND, unread, [ended(MINUTE)], NOW)
    expect(rest).toEqual({ claims: [CLAIM.name], pools: [], failures: 1, failedAt: NOW, until: hence(MINUTE), unread: true })
    expect(failuresAfter({ ...rest, until: hence(1) })).toBe(1)
    expect(restMessage([rest])).toBe('its pods could not be read a short while ago')
    expect(restMessage([rest, ended(0)])).toBe('a move of its node failed a short while ago')
  })

  it('grows if live objects refuse the move', () => {
    const block = { code: 'DISRUPTION.OCCUPIED', message: 'a pod came' } as const
    expect(restOfRefused(COMMAND, block, [ended(MINUTE)], NOW)).toEqual(backOffOf(COMMAND, [ended(MINUTE)], NOW, FIRST_REST.refused))
  })
})
