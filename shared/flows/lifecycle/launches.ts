import { ANNOTATION } from '../../model/labels.ts'
import type { Labels } from '../../model/meta.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { EpochMs } from '../../model/units.ts'

/** How often a process began to launch the claim. */
export function launchesOf({ meta }: NodeClaim): number {
  return Number(meta.annotations[ANNOTATION.launches] ?? 0)
}

/** Annotations of a claim whose launch began at that time, for the so-and-so-manyth time. */
export function lockOf(at: EpochMs, launches: number): Labels {
  return { [ANNOTATION.launchStarted]: String(at), [ANNOTATION.launches]: String(launches) }
}
