import { ANNOTATION } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'

/** How often a process began to launch the claim. */
export function launchesOf({ meta }: NodeClaim): number {
  return Number(meta.annotations[ANNOTATION.launches] ?? 0)
}
