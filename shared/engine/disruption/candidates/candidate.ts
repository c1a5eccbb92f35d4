import { keptOnObjects } from '../../../base/caches.ts'
import { byText, inOrder, largestOf, type Order } from '../../../base/lists.ts'
import type { CreateClaim, Reason } from '../../../model/decision.ts'
import { vmSizeName, zoneName } from '../../../model/ids.ts'
import { choiceOf, type LaunchChoice } from '../../../model/instance.ts'
import type { CapacityType, InstanceType } from '../../../model/instanceType.ts'
import { ANNOTATION, LABEL } from '../../../model/labels.ts'
import type { Node } from '../../../model/node.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { isOurs } from '../../../model/nodeClass.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { Pod } from '../../../model/pod.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import { amountOf } from '../../../model/resources.ts'
import { type EpochMs, epochMs, later } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import { labelsOf, type StateNode } from '../../cluster/stateNode.ts'
import { typeNamed } from '../../offering/usableOfferings.ts'
import { overlaidTypes } from '../../overlay/overlaidTypes.ts'
import { evictionCost } from '../../pod/eviction.ts'
import { isAwaited, isReschedulable } from '../../pod/podPredicates.ts'

/** A machine of a pool. It is initialized and not being deleted. */
export type Candidate = { readonly machine: StateNode; readonly node: Node; readonly claim: NodeClaim; readonly pool: NodePool }

/** A candidate with what is weighed about it. */
export type CandidateWithCost = Candidate & {
  /** Pods that need another place. */
  readonly pods: readonly Pod[]
  /** See `rescheduleCost`. */
  readonly cost: number
  /** What the machine was launched as. Undefined if its labels do not say. Its price is undefined if unknown. */
  readonly choice: LaunchChoice | undefined
}

/** The machines of pools of this kind. Machines that come up, are being deleted or belong to another provider are not among them. */
export function candidatesIn(
  machines: Iterable<StateNode>,
  { objects }: FleetSnapshot,
  isOfKind: (pool: NodePool) => boolean,
): readonly Candidate[] {
  const find = candidateFinder(objects.nodePool, isOfKind)
  return [...machines].flatMap((machine) => find(machine) ?? [])
}

/** Returns a function that finds the candidate of a machine. Undefined if the machine is none. */
export function candidateFinder(
  nodePools: readonly NodePool[],
  isOfKind: (pool: NodePool) => boolean,
): (machine: StateNode) => Candidate | undefined {
  const pools = new Map<string | undefined, NodePool>(nodePools.map((pool) => [pool.name, pool]))
  return (machine) => {
    const { claim, node } = machine
    if (claim === undefined || node === undefined || !machine.isInitialized || machine.isDeleting) return undefined
    const pool = pools.get(labelsOf(machine)[LABEL.nodePool])
    if (pool === undefined || !isOfKind(pool) || !isOurs(claim.spec.nodeClassRef)) return undefined
    return { machine, node, claim, pool }
  }
}

/** The time of the last known pod event: a pod came, a pod began to end, or the machine was initialized. */
function lastPodEvent({ machine, claim }: Candidate): EpochMs {
  const initialized = claim.status.conditions.find((each) => each.type === 'Initialized')?.lastTransitionAt ?? claim.meta.createdAt
  // The deletion time of a pod lies in the future while the pod ends. The machine becomes quiet `consolidateAfter` later.
  return epochMs(Math.max(initialized, claim.status.lastPodEventAt ?? initialized, factsOf(machine).lastPodAt))
}

/** When the machine has been quiet for `consolidateAfter`. Undefined if its pool never consolidates. */
export function quietAt(candidate: Candidate): EpochMs | undefined {
  const { consolidateAfter } = candidate.pool.disruption
  return consolidateAfter === 'Never' ? undefined : later(lastPodEvent(candidate), consolidateAfter)
}

/** Returns a function that weighs a candidate by its pods and its price. Prices include overlays of the user. */
export function withCosts(sources: Parameters<typeof overlaidTypes>[0]): (candidate: Candidate) => CandidateWithCost {
  const typesOf = overlaidTypes(sources)
  return (candidate) => {
    const { machine, node, claim, pool } = candidate
    const labels = labelsOf(machine)
    const type = typeNamed(typesOf(pool.name, claim.spec.nodeClassRef.name), labels[LABEL.instanceType])
    const { pods, cost } = factsOf(machine)
    return { machine, node, claim, pool, pods, cost, choice: choiceIn(labels, type) }
  }
}

function choiceIn(labels: ReturnType<typeof labelsOf>, type: InstanceType | undefined): LaunchChoice | undefined {
  const size = labels[LABEL.instanceType]
  const zone = labels[LABEL.zone]
  const capacityType = CAPACITY_TYPES.find((each) => each === labels[LABEL.capacityType])
  if (size === undefined || zone === undefined || capacityType === undefined) return undefined
  const offering = type?.offerings.find((each) => each.zone === zone && each.capacityType === capacityType)
  return offering === undefined ? { size: vmSizeName(size), zone: zoneName(zone), capacityType } : choiceOf(vmSizeName(size), offering)
}

/** Micro-USD an hour. An unknown price counts as 0. */
export function priceOf({ choice }: Pick<CandidateWithCost, 'choice'>): number {
  return choice?.price ?? 0
}

/** Orders candidates by the saved price divided by the cost of moving, the best first, then by name. */
export const bySavingsRatio: Order<CandidateWithCost> = inOrder<CandidateWithCost>(
  (first, second) => priceOf(second) / second.cost - priceOf(first) / first.cost,
  (first, second) => byText(first.claim.name, second.claim.name),
)

export function reasonOf(claim: NodeClaim, code: ProblemCode, message: string, fields?: Reason['fields']): Reason {
  const reason: Reason = { code, subject: { kind: 'nodeClaim', name: claim.name }, message }
  return fields === undefined ? reason : { ...reason, fields }
}

/** Reports whether its claim has a terminationGracePeriod, which bounds how long pods can hold it. */
export function isGraced({ claim }: CandidateWithCost): boolean {
  return claim.spec.terminationGracePeriod !== undefined
}

/** Why the machine stays: its pods have other places, but may not find them if the scheduler binds them in another order than planned. */
export function mayNotBind({ claim }: Candidate): Reason {
  const message = 'its pods fit on other nodes, but perhaps not in every order in which kube-scheduler may bind them'
  return reasonOf(claim, 'DISRUPTION.NO_ROOM', message)
}

/** Reports whether the node has the do-not-disrupt annotation. */
export function isAnnotatedToStay({ node }: Candidate): boolean {
  return node.meta.annotations[ANNOTATION.doNotDisrupt] === 'true'
}

const CAPACITY_TYPES: readonly CapacityType[] = ['on-demand', 'spot', 'reserved']

/** Facts that follow from a machine alone. A machine that changes is a new object, so its facts are worked out once. */
export type MachineFacts = {
  /** Pods that need another place. */
  readonly pods: readonly Pod[]
  /** See `rescheduleCost`. */
  readonly cost: number
  /** What these pods ask for: CPUs in milli, memory in bytes. */
  readonly asked: { readonly cpu: number; readonly memory: number }
  /** Pods with a do-not-disrupt annotation, whatever its value. */
  readonly withDoNotDisrupt: readonly Pod[]
  /** Pods that kube-scheduler is about to bind to the node. */
  readonly awaited: readonly Pod[]
  /** When one of its pods last came or began to end, 0 without pods. The deletion time of a pod lies in the future while the pod ends. */
  readonly lastPodAt: EpochMs
}

const known = keptOnObjects<StateNode, MachineFacts>()

export function factsOf(machine: StateNode): MachineFacts {
  const facts = known.get(machine) ?? look(machine)
  known.set(machine, facts)
  return facts
}

function look(machine: StateNode): MachineFacts {
  const pods = machine.pods.filter(isReschedulable)
  return {
    pods,
    cost: rescheduleCost(pods),
    asked: { cpu: askedBy(pods, 'cpu'), memory: askedBy(pods, 'memory') },
    // Stryker disable next-line MethodExpression, ConditionalExpression: the reader of these pods asks each for the annotation again, the filter
    // saves time
    withDoNotDisrupt: machine.pods.filter(({ annotations }) => annotations[ANNOTATION.doNotDisrupt] !== undefined),
    awaited: pods.filter(isAwaited),
    lastPodAt: epochMs(largestOf(machine.pods.map(lastEventOf), 0)),
  }
}

function askedBy(pods: readonly Pod[], name: string): number {
  return pods.reduce((sum, { requests }) => sum + amountOf(requests, name), 0)
}

function lastEventOf({ createdAt, scheduledAt = createdAt, deletedAt = createdAt }: Pod): number {
  return Math.max(scheduledAt, deletedAt)
}

/**
 * The cost of moving the pods of a machine, in Karpenter's measure: a number without a unit. A larger cost is worse. 1 for the machine, plus the cost
 * of evicting each pod that needs another place. A negative cost counts as 0.
 */
export function rescheduleCost(pods: readonly Pod[]): number {
  let cost = 1
  for (const pod of pods) if (isReschedulable(pod)) cost += Math.max(0, evictionCost(pod))
  return cost
}

/** The price of the machines that go less the price of their replacements, in micro-USD an hour. Undefined if some price is unknown. */
export function savingOf(candidates: readonly CandidateWithCost[], replacements: readonly CreateClaim[]): number | undefined {
  let saving = 0
  for (const { choice } of candidates) {
    if (choice?.price === undefined) return undefined
    saving += choice.price
  }
  for (const { choice } of replacements) {
    if (choice.price === undefined) return undefined
    saving -= choice.price
  }
  return saving
}
