import { ANNOTATION } from '../../model/labels.ts'
import type { Labels } from '../../model/meta.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'

/** How often a process began to launch the claim. */
export function launchesOf({ meta }: NodeClaim): number {
  return countIn(meta.annotations[ANNOTATION.launches])
}

/** Since when a launch of the claim is locked. 0: none was begun, or nobody can read what stands there. */
export function lockedSince({ meta }: NodeClaim): EpochMs {
  return epochMs(countIn(meta.annotations[ANNOTATION.launchStarted]))
}

/** Annotations are anybody's to write. */
function countIn(text: string | undefined): number {
  const count = Number(text ?? 0)
  return Number.isSafeInteger(count) && count > 0 ? count : 0
}

/** Annotations of a claim whose launch is locked since a time. `launches`: how many launches began, with this one. */
export function lockAnnotations(at: EpochMs, launches: number): Labels {
  return { [ANNOTATION.launchStarted]: String(at), [ANNOTATION.launches]: String(launches) }
}
