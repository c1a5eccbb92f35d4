import type { UnavailableOffering } from '../model/unavailableOffering.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** Offerings that Azure refused, shared by the clusters of a subscription and region. */
export interface OfferingStore {
  /** Returns the offerings that are still blocked at `now`. */
  unavailable(now: EpochMs, signal: AbortSignalLike): Promise<readonly UnavailableOffering[]>
  /** Adds offerings. If a scope is marked twice, the later end counts. */
  mark(offerings: readonly UnavailableOffering[], now: EpochMs, signal: AbortSignalLike): Promise<void>
}
