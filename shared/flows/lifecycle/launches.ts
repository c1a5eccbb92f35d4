import { ANNOTATION } from '../../model/labels.ts'
import type { Labels } from '../../model/meta.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'

/** The number of times that a launch of the claim began. */
export function launchesOf({ meta }: NodeClaim): number {
  return countIn(meta.annotations[ANNOTATION.launches])
}

/** The time at which the launch lock of the claim was written. 0 if there is no lock, or the annotation cannot be parsed. */
export function lockedSince({ meta }: NodeClaim): EpochMs {
  return epochMs(countIn(meta.annotations[ANNOTATION.launchStarted]))
}

/** The count in an annotation, or 0 if it is not a count. Anybody may write annotations. */
function countIn(text: string | undefined): number {
  const count = Number(text ?? 0)
  return Number.isSafeInteger(count) && count > 0 ? count : 0
}

/** The annotations of a launch lock that was written at a time. `launches`: the number of launches that began, this one included. */
export function lockAnnotations(at: EpochMs, launches: number): Labels {
  return { [ANNOTATION.launchStarted]: String(at), [ANNOTATION.launches]: String(launches) }
}
