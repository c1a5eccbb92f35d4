import type { MadeOffering } from '../model/refusalGrowth.ts'
import type { UnavailableOffering } from '../model/unavailableOffering.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** Offerings that Azure refused, shared by the clusters of a subscription and region. */
export interface OfferingStore {
  /** Returns the offerings that are blocked at `now`, and those whose block ended a short while ago. */
  unavailable(now: EpochMs, signal: AbortSignalLike): Promise<readonly UnavailableOffering[]>
  /** Adds refusals, and returns the blocks of their scopes. A scope that was refused before may be blocked for longer than the refusal says. */
  mark(offerings: readonly UnavailableOffering[], now: EpochMs, signal: AbortSignalLike): Promise<readonly UnavailableOffering[]>
  /** Adds machines that Azure made of scopes that it had refused: the next refusal of such a scope blocks for the shortest time again. */
  made(offerings: readonly MadeOffering[], now: EpochMs, signal: AbortSignalLike): Promise<void>
}
