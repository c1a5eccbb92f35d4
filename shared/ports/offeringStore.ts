import type { AskedCores, AskingClaim, QuotaUsages } from '../model/askedCores.ts'
import type { MadeOffering } from '../model/refusalGrowth.ts'
import type { SizeReport } from '../model/sizeReport.ts'
import type { UnavailableOffering } from '../model/unavailableOffering.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** Offerings that Azure refused, cores that machines were asked for with, and what machines say about their sizes, shared by the clusters of a subscription and region. */
export interface OfferingStore {
  /** Returns the offerings that are blocked at `now`, and those whose block ended a short while ago. */
  unavailable(now: EpochMs, signal: AbortSignalLike): Promise<readonly UnavailableOffering[]>
  /** Adds refusals, and returns the blocks of their scopes. A scope that was refused before may be blocked for longer than the refusal says. */
  mark(offerings: readonly UnavailableOffering[], now: EpochMs, signal: AbortSignalLike): Promise<readonly UnavailableOffering[]>
  /** Adds machines that Azure made of scopes that it had refused: the next refusal of such a scope blocks for the shortest time again. */
  made(offerings: readonly MadeOffering[], now: EpochMs, signal: AbortSignalLike): Promise<void>
  /** Returns the cores that machines were asked for with lately. The usage of the region may count some of them. */
  asked(now: EpochMs, signal: AbortSignalLike): Promise<readonly AskedCores[]>
  /**
   * Adds the cores of the machine that a claim asks for, if the quotas have room for them beside all cores in flight. Returns false if not. They replace
   * what the claim asked for before.
   */
  ask(machine: AskedCores, quota: QuotaUsages, signal: AbortSignalLike): Promise<boolean>
  /** Removes the cores of a claim: Azure refused its machine, or the machine is gone. */
  withdraw(claim: AskingClaim, now: EpochMs, signal: AbortSignalLike): Promise<void>
  /** Returns what machines said about their sizes lately. */
  reports(now: EpochMs, signal: AbortSignalLike): Promise<readonly SizeReport[]>
  /** Adds reports. A machine that reports again counts once. */
  report(reports: readonly SizeReport[], now: EpochMs, signal: AbortSignalLike): Promise<void>
}
