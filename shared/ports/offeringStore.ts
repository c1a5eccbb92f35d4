import type { UnavailableOffering } from '../model/unavailableOffering.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** Offerings Azure refused, shared by the clusters of a subscription and region. */
export interface OfferingStore {
  /** Those still blocked at `now`. */
  unavailable(now: EpochMs, signal: AbortSignalLike): Promise<readonly UnavailableOffering[]>
  /** Adds; of two marks of one scope the later end wins. */
  mark(offerings: readonly UnavailableOffering[], now: EpochMs, signal: AbortSignalLike): Promise<void>
}
