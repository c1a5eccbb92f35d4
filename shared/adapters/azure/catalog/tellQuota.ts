import type { EpochMs } from '../../../model/units.ts'
import type { Telemetry } from '../../../ports/telemetry.ts'
import type { Usage } from '../../../wire/azure/catalogBlob.ts'

/** What did not change is told again after this long, so that whoever looks at a day sees it. */
const AGAIN_MS = 3_600_000
/** Of all machines of the region, and of its spot machines. */
const OF_REGION: ReadonlySet<string> = new Set(['cores', 'lowprioritycores'])

/** Tells how much of each quota of cores is used in a region. Quotas that nothing uses are left out: a region has some hundred of them. */
export function createQuotaTeller(telemetry: Pick<Telemetry, 'measure'>, region: string) {
  const told = new Map<string, { readonly usage: Usage; readonly at: EpochMs }>()
  return (usages: Readonly<Record<string, Usage>>, now: EpochMs): void => {
    for (const [family, usage] of Object.entries(usages)) {
      if (!OF_REGION.has(family) && !family.endsWith('family')) continue
      const before = told.get(family)
      // what went to nothing is told once more
      if (usage.used === 0 && (before === undefined || before.usage.used === 0)) continue
      const isSame = before?.usage.used === usage.used && before.usage.limit === usage.limit
      if (isSame && now - before.at < AGAIN_MS) continue
      told.set(family, { usage, at: now })
      telemetry.measure('quota.used', usage.used, { region, family })
      telemetry.measure('quota.limit', usage.limit, { region, family })
    }
  }
}
