import type { Action } from '../model/decision.ts'
import { traceIn } from '../model/trace.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { claimFields } from './tellClaim.ts'
import { traceOfMessage } from './tellTrace.ts'

const BECAUSE = { expireClaim: 'Expired', scaleDownClaim: 'ScaledDown' } as const

/** Ends a claim at its age, or since its static pool wants fewer: its node is closed and drained by the claim's steps, and its pods are planned again beside that. */
export async function expireClaim(
  deps: ClusterDeps,
  { kind, claim: name, uid }: Extract<Action, { readonly kind: 'expireClaim' | 'scaleDownClaim' }>,
  signal: AbortSignalLike,
): Promise<void> {
  const claim = await deps.api.getClaim(name, signal)
  // Another claim may have the name by now, and this one may be ended already.
  if (claim === undefined || claim.meta.uid !== uid || claim.meta.deletedAt !== undefined) return
  await deps.api.deleteClaim(name, uid, signal)
  const sentAt = deps.clock.now()
  const message = { kind: 'nodeClaim', cluster: deps.cluster, claim: name, follow: true, sentAt, attempt: 0 } as const
  await deps.queue.send({ ...message, ...traceOfMessage(claim) }, 0, signal)
  const { decision: _, ...fields } = claimFields(deps, claim)
  deps.telemetry.event('disruption.decision', { ...fields, reason: BECAUSE[kind], savingsPerHour: undefined }, traceIn(claim))
  deps.telemetry.info(`nodeclaim ${name} is taken away: ${BECAUSE[kind]}`, { cluster: deps.cluster, claim: name, because: BECAUSE[kind] })
}
