import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import type { BackOff } from '../../../model/disruptionCommand.ts'
import { nodePoolName } from '../../../model/ids.ts'
import { backOffOf, FIRST_REST, isBackedOff, isRemembered } from './backOff.ts'

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

  it('is remembered for as long as it lasted', () => {
    expect(isRemembered(ended(10 * MINUTE - 1), NOW)).toBe(true)
    expect(isRemembered(ended(10 * MINUTE), NOW)).toBe(false)
  })

  it('holds its nodes until it ends', () => {
    const rest = { ...ended(0), claims: [CLAIM.name], until: hence(1) }
    expect(isBackedOff(CLAIM, [rest], NOW)).toBe(true)
    expect(isBackedOff(nodeClaim({ name: 'default-b' }), [rest], NOW)).toBe(false)
    expect(isBackedOff(CLAIM, [{ ...rest, until: NOW }], NOW)).toBe(false)
  })
})
