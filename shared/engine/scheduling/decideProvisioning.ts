import { byKey } from '../../base/order.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Action, CreateClaim, Decision } from '../../model/decision.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { stateNodes } from '../cluster/stateNode.ts'
import { claimNames, draftClaim } from './draft.ts'
import type { TargetPlan } from './placeOnTargets.ts'
import { placePods, unplacedOf } from './placePods.ts'
import type { BinPlan } from './planBins.ts'
import { refusalOf, repellers } from './podSupport.ts'
import { podsToPlace } from './podsToPlace.ts'
import { type Refused, refusalEvents, refusalReasons, refuseGroup, refuseShortage } from './refusals.ts'

/** Places the pods that wait, on what is there and on new claims, as cheaply as it can; says why where it cannot. */
export function decideProvisioning(snapshot: ClusterSnapshot): Decision {
  const { objects } = snapshot
  const machines = stateNodes(objects)
  const wanted = podsToPlace(objects.pod, machines, snapshot.takenAt)
  if (wanted.length === 0) return { actions: [], reasons: [] }
  const { accepted, refused } = admit(wanted, snapshot)

  const placing = placePods(accepted, machines, snapshot)
  const { onTargets, plan, pools, axes } = placing
  const claims = draftClaims(plan, onTargets, snapshot)
  const unplaced = [...plan.left.keys()].map((group) => refuseGroup(group, unplacedOf(placing, group), plan.ground, pools.refused, axes))
  return decisionOf(snapshot, onTargets, claims.actions, [...refused, ...unplaced, ...claims.refused])
}

type Admission = { readonly accepted: readonly Pod[]; readonly refused: readonly Refused[] }

function admit(pods: readonly Pod[], { objects, settings }: ClusterSnapshot): Admission {
  const repels = repellers(objects.pod, objects.namespace)
  const accepted: Pod[] = []
  const refused: Refused[] = []
  for (const pod of pods) {
    const why = refusalOf(pod, settings, repels)
    if (why === undefined) accepted.push(pod)
    else refused.push({ pods: [pod], why })
  }
  return { accepted, refused }
}

type Claims = { readonly actions: readonly CreateClaim[]; readonly refused: readonly Refused[] }

/** Hands the pods of each group to the bins in order, oldest first, and writes the claims. */
function draftClaims({ bins }: BinPlan, { left }: TargetPlan, snapshot: ClusterSnapshot): Claims {
  const nameOf = claimNames(snapshot)
  const next = new Map([...left.keys()].map((group) => [group, 0]))
  const actions: CreateClaim[] = []
  const refused: Refused[] = []
  for (const [index, bin] of bins.entries()) {
    const pods = [...bin.counts].flatMap(([group, count]) => {
      const start = next.get(group) ?? 0
      next.set(group, start + count)
      return (left.get(group) ?? []).slice(start, start + count)
    })
    const pool = bin.combination.template.pool.name
    const drafted = draftClaim(bin, nameOf(pool, index), pods, snapshot)
    if ('action' in drafted) actions.push(drafted.action)
    else refused.push(refuseShortage(pods, pool, drafted.shortages))
  }
  return { actions, refused }
}

function decisionOf(
  snapshot: ClusterSnapshot,
  { placed }: TargetPlan,
  claims: readonly CreateClaim[],
  refused: readonly Refused[],
): Decision {
  const promised = placed.flatMap(({ pod, target }) => (target.claim === undefined ? [] : [nominate(pod, target.claim)]))
  const created = claims.flatMap(({ pods, draft }) => pods.map((pod) => nominate(pod, draft.name)))
  const nominations = [...promised, ...created].sort(byKey((each) => each.pod.key))
  const actions: readonly Action[] = [...claims, ...nominations, ...refusalEvents(refused)]
  const wakeAt = wakeFor(snapshot, refused)
  return { actions, reasons: refusalReasons(refused), ...(wakeAt === undefined ? {} : { wakeAt }) }
}

function nominate({ key, uid }: Pick<Pod, 'key' | 'uid'>, claim: NodeClaimName) {
  return { kind: 'nominate', pod: { key, uid }, claim } as const
}

/** Where a refused offering may be what is missing: when the first of them may be asked for again. */
function wakeFor({ unavailable, takenAt }: ClusterSnapshot, refused: readonly Refused[]): EpochMs | undefined {
  const isOffering = refused.some(({ why }) => (why.per ?? []).some((each) => each.code === 'SCHEDULING.OFFERING'))
  const ends = unavailable.map((each) => each.until).filter((until) => until > takenAt)
  return isOffering && ends.length > 0 ? epochMs(Math.min(...ends)) : undefined
}
