import { type DurationMs, durationMs, type EpochMs, epochMs } from '../../shared/model/units.ts'

/** The time of every built snapshot: 2026-01-01T00:00:00Z. */
export const NOW: EpochMs = epochMs(1_767_225_600_000)

export const SECOND: DurationMs = durationMs(1_000)
export const MINUTE: DurationMs = durationMs(60_000)
export const HOUR: DurationMs = durationMs(3_600_000)

/** The time this many milliseconds before NOW. */
export function ago(ms: number): EpochMs {
  return epochMs(NOW - ms)
}

/** The time this many milliseconds after NOW. */
export function hence(ms: number): EpochMs {
  return epochMs(NOW + ms)
}
