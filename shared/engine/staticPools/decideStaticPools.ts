import { byKey, inOrder, leastOf } from '../../base/lists.ts'
import type { Action, ClusterEvent, CreateClaim, Decision, Reason } from '../../model/decision.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { createAddresses, type SubnetAddresses, withoutAddressesOf } from '../cluster/subnetAddresses.ts'
import { inPlaceOfDrifted } from '../disruption/moves/move.ts'
import { askedAgain, askedAgainText } from '../offering/shortSizes.ts'
import { overlaidTypes, type TypesOf } from '../overlay/overlaidTypes.ts'
import { evictionCost, lifetimeRemaining } from '../pod/eviction.ts'
import { isDaemonPod, isDoNotDisrupt, isMirrorPod } from '../pod/podPredicates.ts'
import { claimNames } from '../scheduling/decision/claimForm.ts'
import { noInstanceType, poolRefusal, reasonOf } from '../scheduling/model/catalog/pools.ts'
import {
  claimRefusalOf,
  claimsOf,
  isKept,
  isNameTaken,
  isOnTrial,
  type Member,
  membersOf,
  refusalsOf,
  type StaticPool,
  type StaticRefusal,
} from './staticClaims.ts'
import { mustGoFirst } from './terminateFirst.ts'

/**
 * Keeps pools with `spec.replicas` at that many machines. Missing machines are made as far as `limits.nodes` allows, and a pool that is not ready
 * makes none. Surplus machines go, the cheapest to move first, whatever budgets say. `others` are the claims that the same decision makes
 * for pods. https://karpenter.sh/docs/concepts/nodepools/#specreplicas
 */
export function decideStaticPools(snapshot: FleetSnapshot, others: Decision): Decision {
  const pools = snapshot.objects.nodePool.filter(isKept).sort(byKey(({ name }) => name))
  if (pools.length === 0) return NOTHING
  const typesOf = overlaidTypes(snapshot)
  const nameOf = claimNames(snapshot, (name) => isNameTaken(snapshot, others, name))
  let made = 0
  const addresses = createAddresses(withoutAddressesOf(snapshot, others).subnetRooms)
  const decisions = pools.map((pool) => {
    const members = membersOf(pool, snapshot)
    const active = members.filter(({ stage }) => stage === 'active')
    if (active.length > pool.replicas) return scaleDown(pool, active, snapshot)
    const missing = pool.replicas - members.filter(({ stage }) => stage !== 'deleting').length
    const wanted = { missing, there: members.length, typesOf, addresses, nextName: () => nameOf(pool.name, made++) }
    return missing <= 0 ? NOTHING : scaleUp(pool, wanted, snapshot)
  })
  return together(decisions)
}

type Wanted = {
  readonly missing: number
  /** The number of machines of the pool. Machines that are ending count against its limit as well. */
  readonly there: number
  readonly typesOf: TypesOf
  readonly addresses: SubnetAddresses
  readonly nextName: () => NodeClaimName
}

function scaleUp(pool: StaticPool, { missing, there, typesOf, addresses, nextName }: Wanted, snapshot: FleetSnapshot): Decision {
  const types = typesOf(pool.name, pool.template.nodeClassRef.name)
  const refusal = poolRefusal(pool, snapshot.objects, types)
  if (refusal !== undefined) return { actions: [], reasons: [refusal] }
  const noClaim = claimRefusalOf(pool, snapshot)
  if (noClaim !== undefined) return refusedClaims(pool, noClaim)
  const limit = pool.limits['nodes']
  const most = isOnTrial(pool, snapshot) ? 1 : missing
  const granted = limit === undefined ? most : Math.max(0, Math.min(most, limit - there))
  const claims = claimsOf(pool, { count: granted, types, nextName }, snapshot).map(marked(pool, snapshot))
  const { actions, full } = withAddresses(claims, addresses)
  const reasons: Reason[] = full === undefined ? [] : [withoutAddress(pool, full)]
  if (limit !== undefined && limit - there < missing) reasons.push(overLimit(pool, there, limit))
  if (claims.length === granted) return { actions, reasons }
  const refusals = refusalsOf(pool, types, snapshot)
  if (refusals === undefined) return { actions, reasons: [...reasons, noInstanceType(pool, types)] }
  const asked = askedAgain(refusals)
  const message = `no offering that the nodepool allows is available now${askedAgainText(asked)}`
  const refused = reasonOf(pool, 'SCHEDULING.OFFERING', message)
  return { actions, reasons: [...reasons, refused], ...(asked === undefined ? {} : { wakeAt: asked.at }) }
}

/**
 * If drifted machines go first, the claims in their place are made here. By then the drifted claim is gone. So each new claim is marked with what it
 * was made from, and the brake of drift compares these marks.
 */
function marked(pool: StaticPool, snapshot: FleetSnapshot): (create: CreateClaim) => CreateClaim {
  if (!mustGoFirst(pool, 'Drifted', snapshot.settings)) return (create) => create
  return (create) => inPlaceOfDrifted(create, { id: `${snapshot.decision}-static`, drifted: [] }, snapshot)
}

/** A refusal of the API server was told when it came. A rule that a claim would break is told here. */
function refusedClaims(pool: StaticPool, { reason, until }: StaticRefusal): Decision {
  if (until !== undefined) return { actions: [], reasons: [reason], wakeAt: until }
  const { code, message, subject } = reason
  const event: ClusterEvent = {
    subject,
    uid: pool.meta.uid,
    type: 'Warning',
    reason: 'NodeClaimRefused',
    message,
    key: `${code} ${message}`,
  }
  return { actions: [{ kind: 'publish', event }], reasons: [reason] }
}

/** The claims for which their subnet has addresses. `full`: a subnet that has too few. */
function withAddresses(claims: readonly CreateClaim[], addresses: SubnetAddresses) {
  let full: string | undefined
  const actions = claims.filter(({ draft }) => {
    const subnet = addresses.fullFor([draft])
    full ??= subnet
    if (subnet === undefined) addresses.take([draft])
    return subnet === undefined
  })
  return { actions, full }
}

function withoutAddress(pool: StaticPool, subnet: string): Reason {
  const message = `subnet ${subnet} has no address for another machine of the nodepool (spec.replicas: ${pool.replicas}); use a larger subnet, or let nodes end`
  return reasonOf(pool, 'AZURE.SUBNET_FULL', message)
}

function overLimit(pool: StaticPool, there: number, limit: number): Reason {
  const message = `spec.replicas is ${pool.replicas}, limits.nodes is ${limit}, and ${there} nodes exist, including nodes that are being deleted`
  return reasonOf(pool, 'POOL.LIMIT', message)
}

function scaleDown(pool: StaticPool, active: readonly Member[], snapshot: FleetSnapshot): Decision {
  const actions = surplusOf(active, active.length - pool.replicas, snapshot.takenAt).flatMap(({ claim, machine }): readonly Action[] => {
    const message = `ScaledDown: nodepool ${pool.name} keeps ${pool.replicas} nodes, and nodeclaim ${claim.name} is one more`
    const about = { type: 'Normal', reason: 'DisruptionTerminating', message } as const
    const ofClaim: ClusterEvent = { ...about, subject: { kind: 'nodeClaim', name: claim.name }, uid: claim.meta.uid }
    const { node } = machine
    const ofNode: readonly Action[] =
      node === undefined ? [] : [{ kind: 'publish', event: { ...about, subject: { kind: 'node', name: node.name }, uid: node.meta.uid } }]
    return [{ kind: 'scaleDownClaim', claim: claim.name, uid: claim.meta.uid }, { kind: 'publish', event: ofClaim }, ...ofNode]
  })
  return { actions, reasons: [] }
}

const NOTHING: Decision = { actions: [], reasons: [] }

function together(decisions: readonly Decision[]): Decision {
  const wakes = decisions.flatMap(({ wakeAt }) => (wakeAt === undefined ? [] : [wakeAt]))
  return {
    actions: decisions.flatMap(({ actions }) => actions),
    reasons: decisions.flatMap(({ reasons }) => reasons),
    ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }),
  }
}

type There = NonNullable<Member['there']>

/**
 * Picks the machines to end: first claims without a machine, then machines with daemons alone, then other machines by the cost of moving their pods
 * times the share of their lifetime that is left, and last machines that must not be disrupted. A claim that the watch has not shown goes first as
 * well, as soon as the watch shows it.
 */
function surplusOf(active: readonly Member[], count: number, now: EpochMs): readonly There[] {
  const unseen = active.filter(({ there }) => there === undefined).length
  const ranked = active
    .flatMap(({ there }) => (there === undefined ? [] : [{ there, ...rankOf(there, now) }]))
    .sort(
      inOrder(
        (first, second) => first.stage - second.stage,
        (first, second) => first.cost - second.cost,
        byKey(({ there }) => there.claim.name),
      ),
    )
  return ranked.slice(0, Math.max(0, count - unseen)).map(({ there }) => there)
}

const STAGE = { unlaunched: 0, empty: 1, busy: 2, held: 3 } as const

function rankOf({ claim, machine }: There, now: EpochMs): { readonly stage: number; readonly cost: number } {
  if (claim.status.providerId === undefined) return { stage: STAGE.unlaunched, cost: 0 }
  const { pods, node } = machine
  const cost = pods.reduce((sum, pod) => sum + evictionCost(pod), 0) * lifetimeRemaining(claim, now)
  if (node?.meta.annotations[ANNOTATION.doNotDisrupt] === 'true' || pods.some((pod) => isDoNotDisrupt(pod, now))) {
    return { stage: STAGE.held, cost }
  }
  const isEmpty = pods.every((pod) => isDaemonPod(pod) || isMirrorPod(pod))
  return isEmpty ? { stage: STAGE.empty, cost: 0 } : { stage: STAGE.busy, cost }
}
