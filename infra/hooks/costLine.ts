import type { Wishes } from '../../cli/preflight/wishes.ts'
import { costLines, totalOf } from '../cost/lines.ts'
import { IDLE, LOAD, SMALL } from '../cost/scenarios.ts'

const DAYS = 365 / 12

/** What the wishes cost at list prices: idle, and what each machine that comes and goes adds, beside its own price. */
export function costLine(wishes: Pick<Wishes, 'size' | 'network' | 'instanceMemoryMB' | 'alerts'>, clusters: number): string {
  const { size, network, instanceMemoryMB, alerts } = wishes
  const key = JSON.stringify([size, network, instanceMemoryMB, alerts, clusters])
  const known = computed.get(key) ?? compute(wishes, clusters)
  computed.set(key, known)
  return known
}

/** A month of schedules is counted run by run, which takes a while. */
const computed = new Map<string, string>()

function compute(wishes: Pick<Wishes, 'size' | 'network' | 'instanceMemoryMB' | 'alerts'>, clusters: number): string {
  const { size, network, instanceMemoryMB, alerts } = wishes
  const installation = { ...SMALL, size, network, instanceMemoryMB, alerts, clusters: Math.max(1, clusters) }
  const idle = totalOf(costLines(installation, IDLE))
  const loaded = totalOf(costLines(installation, LOAD))
  const perMachine = (loaded - idle) / (LOAD.claimsADay * DAYS * installation.clusters)
  return `cost  idle $${idle.toFixed(0)} a month at list prices, and about $${perMachine.toFixed(3)} for each machine that comes and goes: docs/cost.md`
}
