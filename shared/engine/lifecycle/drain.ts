import { byKey, leastOf } from '../../base/lists.ts'
import type { ClaimAction, ClaimObservation, HeldPod, NodePatch } from '../../model/claimStep.ts'
import { findCondition } from '../../model/condition.ts'
import { claimOfInstanceName, type MachineNames, type NodeClaimName, type NodeName, type ProviderId } from '../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import { isManaged, type Node } from '../../model/node.ts'
import { machineNameIn, type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import { isRebooting } from '../../model/reboot.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import {
  DISRUPTED_TAINT,
  doNotDisruptUntil,
  isActive,
  isCritical,
  isDaemonPod,
  isDoNotDisrupt,
  isEvictable,
  isWaitingForEviction,
} from '../pod/podPredicates.ts'
import { nodeEvent, statusActions, staysOpen, unreadableDeadline, warning } from './claimStatus.ts'
import { isReady } from './nodeState.ts'

/** The pods that the drain waits for, by name. */
export function waitingPods({ pods, now }: Pick<ClaimObservation, 'pods' | 'now'>): readonly Pod[] {
  return pods.filter((pod) => isWaitingForEviction(pod, now)).sort(byKey((pod) => pod.key))
}

/**
 * Evicts the first tier that still has pods, so that daemons outlive what they serve. Pods that would outlast the
 * deadline are deleted at once, whatever protects them.
 */
export function drainPods(
  { now }: Pick<ClaimObservation, 'now'>,
  waiting: readonly Pod[],
  deadline: EpochMs | undefined,
): readonly ClaimAction[] {
  const overdue = waiting.filter((pod) => isOverdue(pod, now, deadline))
  const others = waiting.filter((pod) => !overdue.includes(pod))
  const tier = leastOf(others.map(tierOf))
  return [
    ...overdue.map((pod): ClaimAction => ({ kind: 'deletePod', pod, gracePeriodSeconds: secondsLeft(now, deadline ?? now) })),
    ...others.filter((pod) => tierOf(pod) === tier && isEvictable(pod, now)).map((pod): ClaimAction => ({ kind: 'evictPod', pod })),
  ]
}

/**
 * The next time at which time alone lets a pod that waits now be asked to leave: the deadline requires its deletion, or its annotation ceases to
 * protect it. Undefined if there is none.
 */
export function nextDue(
  { now }: Pick<ClaimObservation, 'now'>,
  waiting: readonly Pod[],
  deadline: EpochMs | undefined,
): EpochMs | undefined {
  const ends = waiting.map(doNotDisruptUntil).filter((end) => end !== undefined && end !== 'unknown')
  const deletions = waiting.flatMap(({ terminationGracePeriodSeconds: seconds }) =>
    seconds === undefined || deadline === undefined ? [] : [deadline - seconds * 1000 + 1],
  )
  const next = leastOf([...ends, ...deletions].filter((at) => at > now))
  return Number.isFinite(next) ? epochMs(next) : undefined
}

/** The tier of a pod, the lowest evicted first: daemons come after other pods, critical pods after all others. */
function tierOf(pod: Pod): number {
  return (isCritical(pod) ? 2 : 0) + (isDaemonPod(pod) ? 1 : 0)
}

/** Reports whether the pod would still be there at the deadline. A pod without a grace period is left to its eviction. */
function isOverdue(pod: Pod, now: EpochMs, deadline: EpochMs | undefined): boolean {
  if (deadline === undefined) return false
  if (pod.deletedAt !== undefined) return pod.deletedAt > deadline
  const seconds = pod.terminationGracePeriodSeconds
  return isActive(pod) && seconds !== undefined && now > deadline - seconds * 1000
}

function secondsLeft(now: EpochMs, deadline: EpochMs): number {
  return Math.max(1, Math.floor((deadline - now) / 1000))
}

type ReportAction = Extract<ClaimAction, { readonly kind: 'patchStatus' | 'publish' }>

/** The condition and events after the evictions of a step were answered. `held`: the pods whose eviction the API server refused, and why. */
export function drainReports(observation: ClaimObservation, held: readonly HeldPod[]): readonly ReportAction[] {
  const { claim, nodes } = observation
  const waiting = waitingPods(observation)
  const holders = holdersOf(waiting, held, observation)
  const told = holders.flatMap(({ by, pods }): readonly ReportAction[] => {
    const message = `${by} holds ${named(pods)}; the drain goes on when it lets them go`
    const event = { ...warning(claim, 'FailedDraining', message), key: `FailedDraining ${by}` }
    return [{ kind: 'publish', event }, ...nodes.map((node): ReportAction => ({ kind: 'publish', event: nodeEvent(node, event) }))]
  })
  // The condition Drained belongs to the end of a claim.
  if (isRebooting(claim)) return told
  return [...statusActions(observation, [staysOpen('Drained', 'Draining', claimMessage(observation, waiting, holders))]), ...told]
}

/** The condition as the drain begins, before any eviction was tried. */
export function beginDrain(
  observation: Omit<ClaimObservation, 'nodes' | 'pods' | 'instanceTypes' | 'unavailable'>,
  waiting: readonly Pod[],
): readonly ClaimAction[] {
  return statusActions(observation, [
    staysOpen('Drained', 'Draining', claimMessage(observation, waiting, holdersOf(waiting, [], observation))),
  ])
}

/** The state of the drain in words, for a node without a claim. */
export function drainBlockers(waiting: readonly Pod[], held: readonly HeldPod[], now: EpochMs): string {
  return drainMessage(waiting, holdersOf(waiting, held, { now }))
}

type Holder = { readonly by: string; readonly pods: readonly string[] }

function holdersOf(waiting: readonly Pod[], held: readonly HeldPod[], { now }: Pick<ClaimObservation, 'now'>): readonly Holder[] {
  const ofUsers = waiting
    .filter((pod) => isDoNotDisrupt(pod, now))
    .map(({ key }): HeldPod => ({ pod: key, by: `annotation ${ANNOTATION.doNotDisrupt}` }))
  const groups = Map.groupBy([...held, ...ofUsers], ({ by }) => by)
  return [...groups].map(([by, own]) => ({ by, pods: own.map(({ pod }) => pod).sort() })).sort(byKey(({ by }) => by))
}

function claimMessage({ claim }: Pick<ClaimObservation, 'claim'>, waiting: readonly Pod[], holders: readonly Holder[]): string {
  const unreadable = unreadableDeadline(claim)
  const message = drainMessage(waiting, holders)
  return unreadable === undefined ? message : `${message}; there is no deadline: ${unreadable}`
}

function drainMessage(waiting: readonly Pod[], holders: readonly Holder[]): string {
  if (waiting.length === 0) return 'waiting for late pods'
  const left = waiting.length === 1 ? '1 pod is waiting to be evicted' : `${waiting.length} pods are waiting to be evicted`
  return [left, ...holders.map(({ by, pods }) => `${by} holds ${named(pods)}`)].join('; ')
}

function named(pods: readonly string[]): string {
  const more = pods.length > MOST_NAMED ? ` and ${pods.length - MOST_NAMED} more` : ''
  return `${pods.length === 1 ? 'pod' : 'pods'} ${pods.slice(0, MOST_NAMED).join(', ')}${more}`
}

const MOST_NAMED = 3

/** The label that takes a node out of load balancers, with the value that Karpenter writes. */
export const EXCLUDED = { [LABEL.excludeFromLoadBalancers]: 'karpenter' } as const

/** Closes a node: it gets no new pods and no traffic from load balancers, and its deletion is requested, so that everyone can see it. */
export function closeNode(node: Node): readonly ClaimAction[] {
  const isTainted = node.taints.some((taint) => taint.key === DISRUPTED_TAINT.key && taint.effect === DISRUPTED_TAINT.effect)
  const isExcluded = node.meta.labels[LABEL.excludeFromLoadBalancers] !== undefined
  const patch: NodePatch = {
    taints: [...node.taints.filter((taint) => taint.key !== DISRUPTED_TAINT.key), DISRUPTED_TAINT],
    labels: { ...node.meta.labels, ...EXCLUDED },
  }
  return [
    ...(isTainted && isExcluded ? [] : [{ kind: 'patchNode', node, patch } as const]),
    ...(node.meta.deletedAt === undefined ? [{ kind: 'deleteNode', node } as const] : []),
  ]
}

/** Reason of the condition Registered while more than one node carries the provider id of a claim. */
export const MULTIPLE_NODES = 'MultipleNodesFound'

/**
 * Nodes that carry the provider id of a claim and not the name of its node: a second node of one machine, or a node under a new name. A claim with
 * the reason MultipleNodesFound stays in the map until it loses that reason, at last with an empty list. Claims that are gone and left such a node
 * behind are in the map as well.
 */
export function otherNodes(
  nodes: readonly Node[],
  claims: readonly NodeClaim[],
  names: MachineNames,
): ReadonlyMap<NodeClaimName, readonly NodeName[]> {
  const byId = new Map<ProviderId, NodeClaim>()
  const found = new Map<NodeClaimName, NodeName[]>()
  for (const claim of claims) {
    if (claim.status.providerId !== undefined) byId.set(claim.status.providerId, claim)
    if (hasMultipleNodes(claim)) found.set(claim.name, [])
  }
  for (const node of nodes) {
    const { name, providerId } = node
    const claim = providerId === undefined ? undefined : byId.get(providerId)
    if (claim !== undefined && name === nodeNameOf(claim, names)) continue
    const owner = claim?.name ?? leftBehindBy(node, names)
    if (owner !== undefined) found.set(owner, [...(found.get(owner) ?? []), name].sort())
  }
  return found
}

/**
 * The claim on whose machine a node without a claim ran. Undefined for a node under its machine's own name, which others handle, and for a ready
 * node, which still runs.
 */
function leftBehindBy(node: Node, names: MachineNames): NodeClaimName | undefined {
  const machine = machineNameIn(node.providerId)
  const isLeft = machine !== undefined && machine !== node.name && isManaged(node) && !isReady(node)
  return isLeft ? claimOfInstanceName(machine, names) : undefined
}

/** Reports whether the claim waits until its machine has one node only. */
export function hasMultipleNodes({ status }: NodeClaim): boolean {
  return findCondition(status.conditions, 'Registered')?.reason === MULTIPLE_NODES
}
