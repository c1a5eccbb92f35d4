import type { ClusterFacts } from '../model/clusterFacts.ts'
import type { Problem } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** The facts of one cluster as they were read last. A read that fails leaves them as they are. */
export interface ClusterFactsSource {
  /** As read and stored lately, by whichever process; asks Azure only where nobody ever did. */
  load(signal: AbortSignalLike): Promise<KnownFacts>
  /** Asks Azure now, and stores the answer for everybody. Never throws for what Azure answers. */
  refresh(signal: AbortSignalLike): Promise<KnownFacts>
}

export type KnownFacts = {
  /** Absent: nobody ever got an answer. */
  readonly read?: { readonly facts: ClusterFacts; readonly at: EpochMs }
  /** Why the last attempt of this process to read them anew failed. */
  readonly problem?: Problem
}
