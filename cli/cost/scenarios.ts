import { DEFAULT_DAY } from './dayRuns.ts'
import type { Installation, Volumes } from './usage.ts'

export const IDLE: Volumes = { claimsADay: 0, postsADay: 0, busyHoursADay: 0, telemetryMbADay: 2 }
/** A hundred machines a day, during working hours. */
export const LOAD: Volumes = { claimsADay: 100, postsADay: 5_000, busyHoursADay: 10, telemetryMbADay: 30 }

export const SMALL: Installation = {
  size: 'small',
  network: 'public',
  instanceMemoryMB: 2_048,
  clusters: 1,
  alerts: true,
  dayRuns: DEFAULT_DAY,
}

export type Scenario = { readonly name: string; readonly installation: Installation }

export const SCENARIOS: readonly Scenario[] = [
  { name: 'small', installation: SMALL },
  { name: 'fast', installation: { ...SMALL, size: 'fast' } },
  { name: 'small, vnet', installation: { ...SMALL, network: 'vnet' } },
  { name: 'small, private', installation: { ...SMALL, network: 'private' } },
]
