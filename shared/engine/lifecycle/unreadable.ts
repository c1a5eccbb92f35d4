/** Annotations about the end of a claim or a pod that cannot be read and have no effect. */

import type { ClusterEvent } from '../../model/decision.ts'
import { parseDuration } from '../../model/duration.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { deadlineOf, type NodeClaim } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import { warning } from './ending.ts'

type Said = { readonly kind: 'publish'; readonly event: ClusterEvent }

/** Says in words that the deadline of the claim cannot be read. Undefined if it can be read or there is none. */
export function unreadableDeadline(claim: NodeClaim): string | undefined {
  const said = claim.meta.annotations[ANNOTATION.terminationTimestamp]
  if (said === undefined || deadlineOf(claim) !== undefined) return undefined
  return `metadata.annotations ${ANNOTATION.terminationTimestamp}: ${quoted(said)} must be a time such as 2026-01-31T12:00:00Z`
}

/** An Event that the deadline cannot be read, and what follows. Empty if it can be read. */
export function reportUnreadableDeadline(claim: NodeClaim, then: string): readonly Said[] {
  const wrong = unreadableDeadline(claim)
  return wrong === undefined ? [] : [{ kind: 'publish', event: warning(claim, 'InvalidTerminationTimestamp', `${wrong}; ${then}`) }]
}

/** An Event for each pod with a do-not-disrupt value that protects nothing, before the pod is taken away. */
export function reportInvalidProtection(pods: readonly Pod[]): readonly Said[] {
  return pods.flatMap(({ key, uid, annotations }): readonly Said[] => {
    const said = annotations[ANNOTATION.doNotDisrupt]
    if (said === undefined || said === 'true' || said === 'false') return []
    const read = parseDuration(said)
    if (read.ok && read.value > 0) return []
    const rule = 'must be true or a duration above 0, such as 30m'
    const message = `metadata.annotations ${ANNOTATION.doNotDisrupt}: ${quoted(said)} ${rule}; it protects nothing`
    const event = { subject: { kind: 'pod', name: key }, uid, type: 'Warning', reason: 'InvalidDoNotDisruptAnnotation', message } as const
    return [{ kind: 'publish', event }]
  })
}

function quoted(said: string): string {
  return JSON.stringify(said.slice(0, 60))
}
