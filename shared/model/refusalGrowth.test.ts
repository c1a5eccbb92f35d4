import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../test/builders/clock.ts'
import { vmSizeName } from './ids.ts'
import { blockLength, timesRefused, withMade, withRefusals } from './refusalGrowth.ts'
import type { UnavailableOffering } from './unavailableOffering.ts'
import { durationMs, type EpochMs, epochMs } from './units.ts'

const SCOPE = { kind: 'offering', size: vmSizeName('Standard_NC24ads_A100_v4') } as const

function refusal(now: EpochMs, firstMs: number): UnavailableOffering {
  return { scope: SCOPE, until: epochMs(now + firstMs), code: 'AZURE.ALLOCATION.ZONE', message: 'no room' }
}

/** The block after refusals, each `after` milliseconds after the end of the block before, and the time of the last one. */
function refusedInARow(firstMs: number, after: readonly number[]) {
  let now: EpochMs = NOW
  let known = withRefusals([], [refusal(now, firstMs)], now)
  for (const each of after) {
    now = epochMs((known[0]?.until ?? 0) + each)
    known = withRefusals(known, [refusal(now, firstMs)], now)
  }
  return { known, now, block: (known[0]?.until ?? 0) - now }
}

describe('blocks of refusals in a row', () => {
  it.each([
    [3, [3, 6, 12, 24, 24]],
    [10, [10, 20, 40, 80, 80]],
    [60, [60, 120, 180, 180]],
    [23 * 60, [23 * 60, 23 * 60]],
  ])('that begin with %i minutes last %j minutes', (first, want) =>
    expect(want.map((_, index) => blockLength(durationMs(first * MINUTE), index + 1) / MINUTE)).toEqual(want),
  )

  it('grow from the time of the first to a limit, and never shrink', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 48 * HOUR }), fc.integer({ min: 1, max: 5_000 }), (ms, times) => {
        const firstMs = durationMs(ms)
        const [now, next] = [blockLength(firstMs, times), blockLength(firstMs, times + 1)]
        expect(blockLength(firstMs, 1)).toBe(firstMs)
        expect(next).toBeGreaterThanOrEqual(now)
        expect(next).toBeLessThanOrEqual(Math.max(firstMs, 3 * HOUR))
        if (now < Math.max(firstMs, Math.min(8 * firstMs, 3 * HOUR))) expect(next).toBeGreaterThan(now)
      }),
    ))

  it('count each refusal soon after a block once, however long the row is', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: MINUTE, max: 24 * HOUR }),
        fc.array(fc.integer({ min: 0, max: 2 * HOUR - 1 }), { maxLength: 12 }),
        (firstMs, after) => {
          const { known, block } = refusedInARow(firstMs, after)
          expect(known.map(timesRefused)).toEqual([after.length + 1])
          expect(block).toBe(blockLength(durationMs(firstMs), after.length + 1))
        },
      ),
    ))
})

describe('a refusal', () => {
  it('while the block lasts is no further one, and the later of the two ends counts', () => {
    const { known, now } = refusedInARow(HOUR, [0])
    const soon = epochMs(now + MINUTE)
    expect(withRefusals(known, [refusal(soon, HOUR)], soon)).toEqual([
      { ...known[0], until: epochMs(soon + 2 * HOUR), again: { times: 2, at: now, openedAt: hence(HOUR), firstMs: HOUR } },
    ])
    expect(withRefusals(known, [refusal(soon, MINUTE)], soon)).toEqual(known)
  })

  it('long after the block is a first one again', () => {
    expect(refusedInARow(HOUR, [0, 0, 2 * HOUR])).toMatchObject({ block: HOUR, known: [{ until: expect.any(Number) }] })
    expect(refusedInARow(HOUR, [0, 0, 2 * HOUR]).known[0]?.again).toBeUndefined()
  })

  it('of another scope grows by itself', () => {
    const { known, now } = refusedInARow(HOUR, [0])
    const other = { ...refusal(now, HOUR), scope: { ...SCOPE, capacityType: 'spot' } as const }
    expect(withRefusals(known, [other], now)).toEqual([...known, other])
  })

  it('forgets the scopes whose blocks ended long ago', () =>
    expect(withRefusals([refusal(ago(4 * HOUR), HOUR), refusal(ago(3 * HOUR), 2 * HOUR)], [], NOW)).toHaveLength(1))
})

describe('a machine of a refused offering that has joined', () => {
  const twice = refusedInARow(HOUR, [MINUTE])
  const at = (launchedAt: number) => withMade(twice.known, [{ scope: SCOPE, launchedAt: epochMs(launchedAt) }])

  it('and was launched after the block makes the next refusal a first one', () => {
    expect(at(hence(4 * HOUR))).toEqual([])
    expect(withMade(refusedInARow(HOUR, []).known, [{ scope: SCOPE, launchedAt: hence(HOUR) }])).toEqual([])
  })

  it('and was launched when another one was refused makes the block that of a first refusal', () =>
    expect(at(twice.now - SECOND)).toEqual([refusal(twice.now, HOUR)]))

  it('and was launched before says nothing', () => {
    expect(at(hence(HOUR - SECOND))).toEqual(twice.known)
    expect(withMade(twice.known, [{ scope: { ...SCOPE, capacityType: 'spot' }, launchedAt: hence(9 * HOUR) }])).toEqual(twice.known)
  })
})
