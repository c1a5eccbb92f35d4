import type { ClusterFacts } from '../model/clusterFacts.ts'
import type { Problem } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** The facts of one cluster as of the last successful read. A failed read leaves them unchanged. */
export interface ClusterFactsSource {
  /** Returns the facts as any process read and stored them lately. Asks Azure only if no process ever did. */
  load(signal: AbortSignalLike): Promise<KnownFacts>
  /** Asks Azure now and stores the answer for all processes. Does not throw if Azure answers with an error. */
  refresh(signal: AbortSignalLike): Promise<KnownFacts>
}

export type KnownFacts = {
  /** Undefined if no process ever got an answer. */
  readonly read?: { readonly facts: ClusterFacts; readonly at: EpochMs }
  /** Why the last attempt of this process to read the facts failed. */
  readonly problem?: Problem
}
