import { byKey } from '../../base/order.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Action, CreateClaim, Decision, PodRef } from '../../model/decision.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import { claimForms } from './answer/claimForm.ts'
import { claimNames, draftClaim } from './answer/draft.ts'
import { type Refused, refusalEvents, refusalReasons, refuseClass, refuseShortage } from './answer/refusals.ts'
import type { Assignment } from './assign.ts'
import { batchOf } from './batch.ts'
import { type Provisioning, planProvisioning } from './planProvisioning.ts'

/** Places the pods that wait, on what is there and on new claims, as cheaply as it can; says why where it cannot. */
export function decideProvisioning(snapshot: ClusterSnapshot): Decision {
  const { machines, pods: wanted, isReal } = batchOf(snapshot)
  if (wanted.length === 0) return { actions: [], reasons: [] }
  const provisioning = planProvisioning(snapshot, wanted, machines)
  const { assignment, problem, plan } = provisioning
  const claims = draftClaims(provisioning, snapshot, isReal)
  const notAdmitted = problem.refused.map(({ pod, why }): Refused => ({ pods: [pod], why }))
  const unplaced = [...assignment.unplaced].map(([podClass, pods]) =>
    refuseClass(podClass, pods, plan, problem.pools.refused, problem.axes),
  )
  const onTargets = assignment.onTargets.filter(({ pod }) => isReal(pod))
  const refused = [...notAdmitted, ...unplaced, ...claims.refused].map((each) => ({ ...each, pods: each.pods.filter(isReal) }))
  return decisionOf(
    snapshot,
    onTargets,
    claims.actions,
    refused.filter(({ pods }) => pods.length > 0),
  )
}

type Claims = { readonly actions: readonly CreateClaim[]; readonly refused: readonly Refused[] }

function draftClaims({ plan, assignment }: Provisioning, snapshot: ClusterSnapshot, isReal: (pod: Pod) => boolean): Claims {
  const nameOf = claimNames(snapshot)
  const formOf = claimForms(snapshot)
  const actions: CreateClaim[] = []
  const refused: Refused[] = []
  for (const [index, bin] of plan.bins.entries()) {
    const pods = assignment.inBins.get(bin) ?? []
    if (pods.length === 0) continue
    const pool = bin.combination.template.pool.name
    const drafted = draftClaim(bin, formOf(bin), nameOf(pool, index), pods.filter(isReal).map(refOf), snapshot)
    if ('action' in drafted) actions.push(drafted.action)
    else refused.push(refuseShortage(pods, pool, drafted.shortages))
  }
  return { actions, refused }
}

function decisionOf(
  snapshot: ClusterSnapshot,
  onTargets: Assignment['onTargets'],
  claims: readonly CreateClaim[],
  refused: readonly Refused[],
): Decision {
  const promised = onTargets.flatMap(({ pod, target }) => (target.claim === undefined ? [] : [nominate(refOf(pod), target.claim)]))
  const created = claims.flatMap(({ pods, draft }) => pods.map((pod) => nominate(pod, draft.name)))
  const nominations = [...promised, ...created].sort(byKey((each) => each.pod.key))
  const actions: readonly Action[] = [...claims, ...nominations, ...refusalEvents(refused)]
  const wakeAt = wakeFor(snapshot, refused)
  return { actions, reasons: refusalReasons(refused), ...(wakeAt === undefined ? {} : { wakeAt }) }
}

function nominate(pod: PodRef, claim: NodeClaimName) {
  return { kind: 'nominate', pod, claim } as const
}

function refOf({ key, uid }: Pod): PodRef {
  return { key, uid }
}

/** How long what waits for a later decision waits for it, if nothing else happens. */
const RETRY_AFTER = durationMs(10_000)

/** Where a refused offering may be what is missing: when the first of them may be asked for again. */
function wakeFor({ unavailable, takenAt }: ClusterSnapshot, refused: readonly Refused[]): EpochMs | undefined {
  const isOffering = refused.some(({ why }) => (why.per ?? []).some((each) => each.code === 'SCHEDULING.OFFERING'))
  const ends = isOffering ? unavailable.map((each) => each.until).filter((until) => until > takenAt) : []
  const retry = refused.some(({ why }) => why.isPostponed === true) ? [later(takenAt, RETRY_AFTER)] : []
  const times = [...ends, ...retry]
  return times.length === 0 ? undefined : epochMs(Math.min(...times))
}
