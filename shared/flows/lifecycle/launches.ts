import { ANNOTATION } from '../../model/labels.ts'
import type { Labels } from '../../model/meta.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { EpochMs } from '../../model/units.ts'

/** How often a process began to launch the claim. */
export function launchesOf({ meta }: NodeClaim): number {
  return Number(meta.annotations[ANNOTATION.launches] ?? 0)
}

/** Annotations of a claim whose launch is locked since a time. `launches`: how many launches began, with this one. */
export function lockAnnotations(at: EpochMs, launches: number): Labels {
  return { [ANNOTATION.launchStarted]: String(at), [ANNOTATION.launches]: String(launches) }
}
