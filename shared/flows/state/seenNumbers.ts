import { leastOf } from '../../base/lists.ts'
import { compareVersions, type Version } from '../../model/change.ts'
import type { EpochMs } from '../../model/units.ts'

/** How long a gap in the numbers may last before the shim is asked to send everything again. */
const HOLE_PATIENCE_MS = 5_000

/**
 * Why nothing can be decided for a cluster whose shim never posted. It is no gap, because there is no state yet. This is normal at each cold start.
 */
export const NOTHING_KNOWN = 'nothing is known of the cluster yet'

/** The numbers of changes that have been seen: all up to a number, and single numbers after a gap. */
export interface SeenNumbers {
  /** Returns the version up to which every change is known. */
  complete(): Version
  /** Notes a record of a term. A later term starts again, with a snapshot of all objects. */
  enterTerm(term: number, at: EpochMs): void
  note(version: Version, at: EpochMs): void
  /** Notes a complete snapshot. It covers every change before it. */
  noteSnapshot(version: Version): void
  /** Returns why the shim must send everything again, or undefined while nothing is missing. `floor`: the version of the newest complete snapshot. */
  missing(floor: Version, now: EpochMs): string | undefined
}

export function createSeenNumbers(from: Version): SeenNumbers {
  const ahead = new Map<number, EpochMs>()
  let complete = from
  let newestTerm = from.term
  let firstOfTermAt: EpochMs | undefined

  function closeHoles(): void {
    while (complete.term === newestTerm && ahead.delete(complete.seq + 1)) complete = { term: newestTerm, seq: complete.seq + 1 }
  }

  return {
    complete: () => complete,
    enterTerm(term, at) {
      if (term <= newestTerm) return
      newestTerm = term
      firstOfTermAt = at
      ahead.clear()
    },
    note(version, at) {
      if (version.term !== newestTerm || compareVersions(version, complete) <= 0) return
      ahead.set(version.seq, at)
      closeHoles()
    },
    noteSnapshot(version) {
      if (compareVersions(version, complete) > 0) complete = version
      for (const seq of ahead.keys()) if (seq <= complete.seq) ahead.delete(seq)
      closeHoles()
    },
    missing(floor, now) {
      if (newestTerm === 0) return NOTHING_KNOWN
      if (floor.term < newestTerm) {
        const waited = now - (firstOfTermAt ?? now)
        return waited >= HOLE_PATIENCE_MS ? `no complete snapshot of term ${newestTerm}` : undefined
      }
      const oldest = leastOf(ahead.values())
      return now - oldest >= HOLE_PATIENCE_MS ? `change ${complete.seq + 1} of term ${newestTerm} never came` : undefined
    },
  }
}
