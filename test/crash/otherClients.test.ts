import { describe, expect, it } from 'vitest'
import { CALLS, CLIENTS, ENDS, isOfEnd, playEnd } from './endStory.ts'
import type { Simulation } from './simulation.ts'

const SECOND = 1_000
const calm = new Map(await Promise.all(Object.entries(ENDS).map(async ([sentence, end]) => [sentence, await playEnd(end, 1)] as const)))

describe('the writes of the end of a claim', () => {
  it('are those of the table: a new one needs a row', () => {
    const made = new Set([...calm.values()].flatMap(({ writes }) => writes))
    const ofEnd = Object.keys(CALLS).filter((name) => isOfEnd(name as keyof typeof CALLS))
    expect([...made].sort()).toEqual([...ofEnd, 'terminate'].sort())
  })

  it.each([...calm])('ask for the end of the machine before the status says so, if %s', (_how, { writes }) => {
    const [asked, said] = [writes.indexOf('terminate'), writes.lastIndexOf('patchClaimStatus')]
    expect(writes[asked + 1]).toBe('patchClaimStatus')
    expect(said).toBe(asked + 1)
  })
})

function everyTwoSeconds() {
  let next = 0
  return (_write: number, { clock }: Simulation): boolean => {
    if (clock.now() < next) return false
    next = clock.now() + 2 * SECOND
    return true
  }
}

const rows = Object.entries(CLIENTS).flatMap(([other, client]) => Object.entries(ENDS).map(([how, end]) => ({ other, client, how, end })))

describe.each(rows)('another client $other while $how', ({ other, client, how, end }) => {
  const alone = calm.get(how) ?? expect.fail('no such end')
  const expectSameEnd = async (isNow: (write: number, simulation: Simulation) => boolean): Promise<boolean> => {
    const { tookMs, isLost, left, simulation } = await playEnd(end, 1, { client, isNow })
    expect({ tookMs, left }).toEqual({ tookMs: alone.tookMs, left: alone.left })
    expect(simulation.failures).toEqual([])
    return isLost
  }

  it('before one write, whichever it is: the end takes as long as alone, and nothing is lost', async () => {
    for (const write of alone.writes.keys()) expect(await expectSameEnd((each) => each === write)).toBe(false)
  })

  it('before every write: the end takes as long as alone', async () => {
    const isLost = await expectSameEnd(() => true)
    // The second try has no version and replaces lists as they were read just before. Only a client that writes before that try as well loses an entry.
    if (!other.includes('status')) expect(isLost).toBe(false)
  })

  it('before every write, with two processes: the end takes hardly longer', async () => {
    const { tookMs, left } = await playEnd(end, 2, { client, isNow: () => true })
    expect(left).toEqual(alone.left)
    expect(tookMs).toBeLessThanOrEqual((alone.tookMs ?? 0) + 2 * SECOND)
  })

  it('every two seconds: the end takes as long as alone, and nothing is lost', async () => {
    expect(await expectSameEnd(everyTwoSeconds())).toBe(false)
  })
})
