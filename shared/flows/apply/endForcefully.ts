import type { Action } from '../../model/decision.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { traceIn } from '../../model/trace.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { setDeadline } from '../lifecycle/setDeadline.ts'
import { claimRequest } from '../queue/claimRequest.ts'
import { measureEnded, measurePodsDisrupted, measureUnhealthy } from '../reports/claimMetrics.ts'
import { claimFields } from '../reports/reportClaim.ts'

type ForcefulEnd = Extract<Action, { readonly kind: 'expireClaim' | 'scaleDownClaim' | 'repairClaim' }>

/** Tries to write the deadline. Few are enough, since the next decision repairs again. */
const FEW_ROUNDS = 2

const BECAUSE = { expireClaim: 'Expired', scaleDownClaim: 'ScaledDown' } as const

/**
 * Deletes a claim that is expired, beyond the replicas of its static NodePool, or whose node is unhealthy. The lifecycle steps of the claim taint
 * and drain its node, and its pods are planned again meanwhile. The drain of an unhealthy node has its deadline now, since no pod may keep it.
 */
export async function endForcefully(deps: ClusterDeps, action: ForcefulEnd, signal: AbortSignalLike): Promise<void> {
  const { claim: name, uid } = action
  const claim = await deps.api.getClaim(name, signal)
  // Another claim may have the name by now.
  if (claim === undefined || claim.meta.uid !== uid) return
  const isEnding = claim.meta.deletedAt !== undefined
  const isHurried = action.kind === 'repairClaim' && (await setDeadline(deps, claim, deps.clock.now(), signal, FEW_ROUNDS))
  if (isEnding && !isHurried) return
  await deps.api.deleteClaim(name, uid, signal)
  deps.queue.reconcile(claimRequest(claim))
  const [reason, because] = action.kind === 'repairClaim' ? ['Unhealthy', action.because] : [BECAUSE[action.kind], BECAUSE[action.kind]]
  // A claim that was ending before has been counted.
  if (!isEnding) measureForcefulEnd(deps, claim, action, reason)
  const { decision: _, ...fields } = claimFields(deps, claim)
  deps.telemetry.event('disruption.decision', { ...fields, reason, savingsPerHour: undefined }, traceIn(claim))
  deps.telemetry.info(`nodeclaim ${name} is taken away: ${because}`, { cluster: deps.cluster, claim: name, because })
}

function measureForcefulEnd(deps: ClusterDeps, claim: NodeClaim, action: ForcefulEnd, reason: string): void {
  if (action.kind === 'scaleDownClaim') return
  measureEnded(deps, claim, reason.toLowerCase())
  measurePodsDisrupted(deps, reason.toLowerCase(), action.pods)
  if (action.kind === 'repairClaim') measureUnhealthy(deps, action.because)
}
