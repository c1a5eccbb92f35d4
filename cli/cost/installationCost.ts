import type { Wishes } from '../preflight/wishes.ts'
import { costLines, totalOf } from './lines.ts'
import { IDLE, LOAD, SMALL } from './scenarios.ts'

const DAYS = 365 / 12

/** In US dollars at list prices. */
export type InstallationCost = {
  readonly idleUsdAMonth: number
  /** What each machine that comes and goes adds, beside its own price. */
  readonly usdAMachine: number
}

export function installationCost(
  { size, network, instanceMemoryMB, alerts }: Pick<Wishes, 'size' | 'network' | 'instanceMemoryMB' | 'alerts'>,
  clusters: number,
): InstallationCost {
  const installation = { ...SMALL, size, network, instanceMemoryMB, alerts, clusters: Math.max(1, clusters) }
  const idleUsdAMonth = totalOf(costLines(installation, IDLE))
  const loaded = totalOf(costLines(installation, LOAD))
  return { idleUsdAMonth, usdAMachine: (loaded - idleUsdAMonth) / (LOAD.claimsADay * DAYS * installation.clusters) }
}
