import { describe, expect, it } from 'vitest'
import { HOUR, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { vmSizeName, zoneName } from '../../model/ids.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { askedAgain, askedAgainText, waitsOf } from './askAgain.ts'

const ASKERS = Array.from({ length: 200 }, (_, index) => `gpu-${index}`)
const LONG = 2 * HOUR

/** A block of two hours of an offering in this zone, refused so often. */
function refused(times: number, zone = 'eastus-1'): UnavailableOffering {
  const scope = { kind: 'offering', size: vmSizeName('Standard_NC24ads_A100_v4'), zone: zoneName(zone) } as const
  const again = times === 1 ? {} : { again: { times, at: NOW, openedAt: NOW, firstMs: HOUR } }
  return { scope, until: hence(LONG), code: 'AZURE.ALLOCATION.ZONE', message: 'no room', ...again }
}

const endOf = (asker: string, block: UnavailableOffering): number => waitsOf(asker, [block])[0]?.until ?? 0

describe('the wait for a refused offering', () => {
  it('is the block itself after the first refusal', () => {
    const blocks = [refused(1)]
    expect(waitsOf('gpu-0', blocks)).toBe(blocks)
    expect(waitsOf('gpu-0', [refused(1), refused(2, 'eastus-2')])[0]).toEqual(refused(1))
  })

  it('is longer after further refusals by a time of the asker’s own, up to a tenth of the block', () => {
    const waits = ASKERS.map((asker) => endOf(asker, refused(2)) - hence(LONG))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...waits)).toBeLessThan(LONG / 10)
    const perMinute = Map.groupBy(waits, (wait) => Math.floor(wait / MINUTE))
    expect(perMinute.size).toBe(12)
    expect(Math.max(...[...perMinute.values()].map(({ length }) => length))).toBeLessThan(ASKERS.length / 4)
  })

  it('is the same in each decision about one block, and another one for each refusal and each size', () => {
    expect(endOf('gpu-0', refused(2))).toBe(endOf('gpu-0', refused(2)))
    const other = { ...refused(2), scope: { kind: 'offering', size: vmSizeName('Standard_ND96amsr_A100_v4') } as const }
    const ends = [refused(2), refused(3), other].map((block) => endOf('gpu-0', block))
    expect(new Set(ends).size).toBe(3)
    expect(endOf('gpu-0', refused(2, 'eastus-2'))).toBe(ends[0])
  })
})

describe('what is said about blocks', () => {
  it.each<[want: string, blocks: readonly UnavailableOffering[]]>([
    ['', []],
    ['; Azure is asked again from 2026-01-01T02:00:00Z', [refused(1)]],
    ['; Azure refused 3 times in a row and is asked again from 2026-01-01T01:00:00Z', [refused(3), { ...refused(1), until: hence(HOUR) }]],
  ])('is "%s"', (want, blocks) => expect(askedAgainText(askedAgain(blocks))).toBe(want))
})
