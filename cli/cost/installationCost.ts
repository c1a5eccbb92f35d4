import type { InstallOptions } from '../preflight/installOptions.ts'
import { costLines, totalOf } from './lines.ts'
import { IDLE, LOAD, SMALL } from './scenarios.ts'

const DAYS = 365 / 12

/** Costs in US dollars at list prices. */
export type InstallationCost = {
  readonly idleUsdAMonth: number
  /** Additional cost of each machine that is added and removed, without its own price. */
  readonly usdAMachine: number
}

export function installationCost(
  { size, network, instanceMemoryMB, alerts }: Pick<InstallOptions, 'size' | 'network' | 'instanceMemoryMB' | 'alerts'>,
  clusters: number,
): InstallationCost {
  const installation = { ...SMALL, size, network, instanceMemoryMB, alerts, clusters: Math.max(1, clusters) }
  const idleUsdAMonth = totalOf(costLines(installation, IDLE))
  const loaded = totalOf(costLines(installation, LOAD))
  return { idleUsdAMonth, usdAMachine: (loaded - idleUsdAMonth) / (LOAD.claimsADay * DAYS * installation.clusters) }
}
