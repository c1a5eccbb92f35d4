import { durationMs, type EpochMs, later } from '../../../model/units.ts'

const EACH_MS = 80
const SHORTEST_MS = 10 * 60_000
const LONGEST_MS = 60 * 60_000

/** When a move that begins now must be done. As in Karpenter: clamp(80 ms for each queued candidate, 10 min, 1 h). */
export function commandDeadline(now: EpochMs, queued: number): EpochMs {
  return later(now, durationMs(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, EACH_MS * queued))))
}
