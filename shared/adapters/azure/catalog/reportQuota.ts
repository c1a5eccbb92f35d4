import type { Usage } from '../../../model/askedCores.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { Telemetry } from '../../../ports/telemetry.ts'

/** Unchanged usage is measured again after this time, so that a chart over a day shows it. */
const AGAIN_MS = 3_600_000
/** The quotas of all machines of the region, and of its spot machines. */
const OF_REGION: ReadonlySet<string> = new Set(['cores', 'lowprioritycores'])

/** Measures usage and limit of each core quota of a region. Unused quotas are left out, since a region has about a hundred of them. */
export function createQuotaReporter(telemetry: Pick<Telemetry, 'measure'>, region: string) {
  const told = new Map<string, { readonly usage: Usage; readonly at: EpochMs }>()
  return (usages: Readonly<Record<string, Usage>>, now: EpochMs): void => {
    for (const [family, usage] of Object.entries(usages)) {
      if (!OF_REGION.has(family) && !family.endsWith('family')) continue
      const before = told.get(family)
      // Usage that fell to zero is measured once more.
      if (usage.used === 0 && (before === undefined || before.usage.used === 0)) continue
      const isSame = before?.usage.used === usage.used && before.usage.limit === usage.limit
      if (isSame && now - before.at < AGAIN_MS) continue
      told.set(family, { usage, at: now })
      telemetry.measure('quota.used', usage.used, { region, family })
      telemetry.measure('quota.limit', usage.limit, { region, family })
    }
  }
}
