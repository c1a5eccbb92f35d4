import { ASK_OF_NOBODY, isInForce, isOf } from '../../model/claimRefusal.ts'
import type { CreateClaim, Decision, Reason } from '../../model/decision.ts'
import { type NodeClaimName, nodeClaimName } from '../../model/ids.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { NodeClaim, NodeClaimDraft } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { toSpecs, validateClaimRequirements } from '../../model/requirementSpecs.ts'
import { NO_RESOURCES } from '../../model/resources.ts'
import { formatTimestamp } from '../../model/time.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { EpochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { isEnding, type StateNode } from '../cluster/stateNode.ts'
import { planLaunch, refusalsFor } from '../launch/planLaunch.ts'
import { waitsOf } from '../offering/shortSizes.ts'
import { chosenLabels } from '../scheduling/decision/claimForm.ts'
import { reasonOf } from '../scheduling/model/catalog/pools.ts'
import { annotationsOfPool, labelsOfPool, requirementsOfPool, SIMULATED_LABELS } from '../scheduling/model/catalog/template.ts'

/** A pool that Joiner keeps at `spec.replicas` machines. */
export type StaticPool = NodePool & { readonly replicas: number }

export function isKept(pool: NodePool): pool is StaticPool {
  return pool.replicas !== undefined && pool.meta.deletedAt === undefined && isOurs(pool.template.nodeClassRef)
}

/** Reports whether a claim has the name, or gets it in the same decision. */
export function isNameTaken({ fleet, drafts }: FleetSnapshot, { actions }: Decision, name: NodeClaimName): boolean {
  if (drafts.some((draft) => draft.name === name)) return true
  if (actions.some((action) => action.kind === 'createClaim' && action.draft.name === name)) return true
  for (const { claim } of fleet.all()) if (claim?.name === name) return true
  return false
}

type Wanted = { readonly count: number; readonly types: readonly InstanceType[]; readonly nextName: () => NodeClaimName }

/** Claims as the template of the pool has them: no pod narrows their sizes, and they ask for no resources. Empty if nothing can be bought now. */
export function claimsOf(pool: NodePool, { count, types, nextName }: Wanted, snapshot: FleetSnapshot): readonly CreateClaim[] {
  const form = formOf(pool, snapshot.decision)
  const alternatives = new Set<string>()
  const made: CreateClaim[] = []
  const unavailable = waitsOf(pool.name, snapshot.unavailable)
  for (let index = 0; index < count; index++) {
    const draft: NodeClaimDraft = { ...form, name: nextName() }
    const { candidates } = planLaunch(draft, types, unavailable, snapshot.takenAt, snapshot.demoted)
    const [best, next] = candidates
    if (best === undefined) return made
    for (const { choice } of alternatives.size === 0 ? candidates : []) alternatives.add(choice.size)
    const nextBest = next === undefined ? {} : { nextBest: next.choice }
    made.push({ kind: 'createClaim', draft, pods: [], choice: best.choice, ...nextBest, alternatives: alternatives.size })
  }
  return made
}

/**
 * The refusals for which the pool waits, as it waits for them. Undefined if no machine of the pool could be bought even if nothing had been refused.
 */
export function refusalsOf(
  pool: NodePool,
  types: readonly InstanceType[],
  snapshot: FleetSnapshot,
): readonly UnavailableOffering[] | undefined {
  const draft = { ...formOf(pool, snapshot.decision), name: nodeClaimName(pool.name) }
  return refusalsFor(draft, types, waitsOf(pool.name, snapshot.unavailable), snapshot.takenAt)
}

/** Why the API server takes no claim of the pool: a rule that the claim would break, or a refusal that holds for a while. */
export function claimRefusalOf(pool: NodePool, { decision, claimRefusals = [], takenAt }: FleetSnapshot): StaticRefusal | undefined {
  const broken = validateClaimRequirements(formOf(pool, decision).spec.requirements)
  if (broken.length > 0) {
    const rules = broken.map(({ message }) => message).join('; ')
    const message = `the API server would refuse a nodeclaim of the nodepool: ${rules}; to do: change spec.template of the nodepool`
    return { reason: reasonOf(pool, 'SCHEDULING.CLAIM_INVALID', message) }
  }
  const refusal = claimRefusals.find((each) => each.ask === ASK_OF_NOBODY && isInForce(each, pool, takenAt))
  if (refusal === undefined) return undefined
  const { until } = refusal
  const message = `the API server refused a nodeclaim of the nodepool: ${refusal.message}; such a nodeclaim is tried again from ${formatTimestamp(until)}; to do: change spec.template of the nodepool to what the API server accepts, or change the admission policy that refuses it`
  return { reason: reasonOf(pool, 'SCHEDULING.CLAIM_REFUSED', message), until }
}

export type StaticRefusal = { readonly reason: Reason; readonly until?: EpochMs }

/** After a refusal, one claim shows whether the API server takes such claims now. */
export function isOnTrial(pool: NodePool, { claimRefusals = [] }: FleetSnapshot): boolean {
  return claimRefusals.some((each) => each.ask === ASK_OF_NOBODY && isOf(each, pool))
}

function formOf(pool: NodePool, decision: number): Omit<NodeClaimDraft, 'name'> {
  const { nodeClassRef, taints, startupTaints, expireAfter, terminationGracePeriod } = pool.template
  const requirements = requirementsOfPool(pool)
  const written = new Map([...requirements].filter(([key]) => !Object.hasOwn(SIMULATED_LABELS, key)))
  const grace = terminationGracePeriod === undefined ? {} : { terminationGracePeriod }
  return {
    nodePool: pool.name,
    labels: { ...labelsOfPool(pool), ...chosenLabels(requirements) },
    annotations: { ...annotationsOfPool(pool), [ANNOTATION.decision]: String(decision) },
    spec: { nodeClassRef, requirements: toSpecs(written), requests: NO_RESOURCES, taints, startupTaints, expireAfter, ...grace },
  }
}

/** A machine of a static pool. */
export type Member = {
  /** `replaced`: a disruption under way has another machine made for it, and then ends it. */
  readonly stage: 'active' | 'replaced' | 'deleting'
  /** Undefined if the claim is decided and the watch has not shown it yet. It counts, and cannot be ended yet. */
  readonly there?: { readonly claim: NodeClaim; readonly machine: StateNode }
}

/** The machines of the pool's claims, and claims that are on their way into the cluster. */
export function membersOf({ name }: NodePool, { fleet, drafts, commands }: FleetSnapshot): readonly Member[] {
  const replaced = new Set(commands.flatMap(({ candidates }) => candidates.map(({ uid }) => uid)))
  const members: Member[] = []
  for (const machine of fleet.of(name)) {
    const { claim } = machine
    if (claim === undefined || !isOurs(claim.spec.nodeClassRef)) continue
    const stage = isEnding(claim) ? 'deleting' : replaced.has(claim.meta.uid) ? 'replaced' : 'active'
    members.push({ stage, there: { claim, machine } })
  }
  for (const { nodePool } of drafts) if (nodePool === name) members.push({ stage: 'active' })
  return members
}
