import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costLines, totalOf } from '../../cli/cost/lines.ts'
import { PRICES, type UnitPrice } from '../../cli/cost/prices.ts'
import { IDLE, LOAD, SCENARIOS, SMALL } from '../../cli/cost/scenarios.ts'
import { executionsOf, type Installation, type Volumes } from '../../cli/cost/usage.ts'
import { billText, summaryTable } from './table.ts'

const root = join(import.meta.dirname, '..', '..')
const total = (installation: Installation, volumes: Volumes = IDLE): number => totalOf(costLines(installation, volumes))
const FAST: Installation = { ...SMALL, size: 'fast' }
const line = (installation: Installation, what: string, volumes: Volumes = IDLE) =>
  costLines(installation, volumes).find((each) => each.what === what) ?? expect.fail(`no line ${what}`)

describe('an idle month of one cluster', () => {
  it('costs no more than it may', () => {
    expect(total(SMALL)).toBeLessThan(20)
    expect(total(FAST)).toBeLessThan(70)
  })

  it('costs more where its network is private, by what the network takes', () => {
    const added = total({ ...SMALL, network: 'private' }) - total(SMALL)
    const gateway = 730 * (0.045 + 0.005)
    const endpoints = 3 * (730 * 0.01 + 0.5)
    expect(added).toBeGreaterThanOrEqual(gateway + endpoints)
    expect(added).toBeLessThan(gateway + endpoints + 1)
  })

  it('is stated by README as it is worked out here', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const [, block] = /<!-- npm run cost -- --summary -->\n([\s\S]*?)\n<!-- end -->/.exec(readme) ?? []
    expect(block).toBe(summaryTable().join('\n'))
  })
})

describe('how the platform bills', () => {
  it('an execution on demand: at least a second, at the memory of the instance, after the free part', () => {
    const work = line(SMALL, 'work')
    const { timer, gc, decisions, emptyPosts } = executionsOf(SMALL, IDLE)
    expect(work.quantity).toBeCloseTo(2 * (timer + 0.5 * gc + decisions + emptyPosts), 3)
    expect(work.usd).toBeCloseTo((work.quantity - 100_000) * 0.000026, 9)
    expect(line({ ...SMALL, instanceMemoryMB: 512 }, 'work').quantity).toBeCloseTo(work.quantity / 4, 3)
    expect(line({ ...SMALL, instanceMemoryMB: 512 }, 'work').usd).toBe(0)
  })

  it('instances that are always ready: all of their time, and their work without a free part', () => {
    expect(line(FAST, 'two instances that wait').usd).toBeCloseTo(2 * 2 * 730 * 3_600 * 0.000004, 9)
    expect(line(FAST, 'work of those')).toMatchObject({ free: 0, usdPer: 0.000016 })
    expect(line(FAST, 'executions of those').free).toBe(0)
  })

  it('gives each free part once', () => {
    for (const { installation } of SCENARIOS) {
      const taken = new Map<string, number>()
      for (const { price, free } of costLines(installation, LOAD)) taken.set(price, (taken.get(price) ?? 0) + free)
      for (const [name, free] of taken) expect(free).toBeLessThanOrEqual(price(name).free ?? 0)
    }
  })
})

function price(name: string): UnitPrice {
  const found = Object.entries<UnitPrice>(PRICES).find(([each]) => each === name)
  return found?.[1] ?? expect.fail(`no price ${name}`)
}

describe('a bill', () => {
  const counts = fc.record({
    claimsADay: fc.integer({ min: 0, max: 10_000 }),
    postsADay: fc.integer({ min: 0, max: 100_000 }),
    busyHoursADay: fc.integer({ min: 0, max: 24 }),
    telemetryMbADay: fc.integer({ min: 0, max: 10_000 }),
  })
  const installations = fc.record({
    size: fc.constantFrom('small' as const, 'fast' as const),
    network: fc.constantFrom('public' as const, 'vnet' as const, 'private' as const),
    instanceMemoryMB: fc.constantFrom(512, 2_048, 4_096),
    clusters: fc.integer({ min: 1, max: 20 }),
    alerts: fc.boolean(),
  })

  it('has no negative line, and never falls when there is more of anything', () => {
    fc.assert(
      fc.property(
        installations,
        counts,
        fc.constantFrom('claimsADay' as const, 'postsADay' as const, 'telemetryMbADay' as const),
        (some, volumes, more) => {
          const installation = { ...SMALL, ...some }
          const lines = costLines(installation, volumes)
          for (const { usd, quantity, free } of lines) expect(usd >= 0 && quantity >= 0 && free >= 0 && free <= quantity).toBe(true)
          expect(total(installation, { ...volumes, [more]: volumes[more] * 2 + 1 })).toBeGreaterThanOrEqual(totalOf(lines) - 1e-9)
          expect(total({ ...installation, clusters: installation.clusters + 1 }, volumes)).toBeGreaterThan(totalOf(lines))
        },
      ),
      { numRuns: 5 },
    )
  })

  it('says of every price where it comes from, when, and how sure it is', () => {
    for (const each of Object.values<UnitPrice>(PRICES)) {
      expect(each.source).toMatch(/^https:\/\//)
      expect(each.asOf).toMatch(/^20\d\d-\d\d(-\d\d)?$/)
      expect(each.usd > 0 && each.per >= 1).toBe(true)
    }
  })

  it('is printed with its lines, its total and what drives each', () => {
    const text = billText({ title: 'small', installation: SMALL, volumes: IDLE })
    expect(text[0]).toBe('small')
    expect(text.at(-1)).toMatch(/^total +\d+\.\d\d$/)
    expect(text.slice(2, -1)).toHaveLength(costLines(SMALL, IDLE).length)
    expect(text.join('\n')).toContain('RESYNC_SCHEDULE')
    expect(text.join('\n')).not.toMatch(/e-\d|NaN|undefined/)
  })
})
