import { describe, expect, it } from 'vitest'
import { NOW } from '../../../../test/builders/clock.ts'
import { epochMs } from '../../../model/units.ts'
import type { Telemetry } from '../../../ports/telemetry.ts'
import { createQuotaReporter } from './reportQuota.ts'

const HOUR = 3_600_000

function teller() {
  const told: string[] = []
  const measure: Telemetry['measure'] = (name, value, fields) =>
    void told.push(`${name} ${'family' in fields ? fields['family'] : ''} ${value}`)
  return { tell: createQuotaReporter({ measure }, 'eastus'), take: () => told.splice(0) }
}

describe('quotas of cores', () => {
  it('are told where something is used: of families, of the region, of spot', () => {
    const { tell, take } = teller()
    const used = { limit: 10, used: 4 }
    tell({ cores: used, lowprioritycores: used, standarddsv5family: used, standardfsv2family: { limit: 10, used: 0 }, disks: used }, NOW)
    expect(take()).toEqual(
      ['cores', 'lowprioritycores', 'standarddsv5family'].flatMap((family) => [`quota.used ${family} 4`, `quota.limit ${family} 10`]),
    )
  })

  it('are told again when they change, else after an hour, and once when nothing is used any more', () => {
    const { tell, take } = teller()
    const at = (ms: number, used: number, limit = 10) => tell({ cores: { limit, used } }, epochMs(NOW + ms))
    const counts = [
      [0, 4],
      [HOUR / 6, 4],
      [HOUR / 3, 5],
      [HOUR / 2, 5, 20],
      [HOUR, 5, 20],
      [1.5 * HOUR, 5, 20],
      [1.6 * HOUR, 0, 20],
      [9 * HOUR, 0, 20],
    ].map(([ms = 0, used = 0, limit]) => {
      at(ms, used, limit)
      return take().length / 2
    })
    expect(counts).toEqual([1, 0, 1, 1, 0, 1, 1, 0])
  })
})
