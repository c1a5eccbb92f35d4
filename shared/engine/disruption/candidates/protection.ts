/** Why a machine stays however much its end would save: annotations, nominations, and PodDisruptionBudgets of its pods. */
import { largestOf } from '../../../base/lists.ts'
import type { Reason } from '../../../model/decision.ts'
import { type NodeClaimName, namespaceOf } from '../../../model/ids.ts'
import { ANNOTATION, type Labels } from '../../../model/labels.ts'
import { budgetsOf } from '../../../model/nodePool.ts'
import type { Pod } from '../../../model/pod.ts'
import { type EpochMs, epochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { blockingBudgets, isHeldForGood } from '../../pod/eviction.ts'
import { doNotDisruptUntil, isDoNotDisrupt, isEvictable } from '../../pod/podPredicates.ts'
import { restMessage, restsOf } from '../commands/moveRests.ts'
import { type Candidate, factsOf, isAnnotatedToStay, reasonOf } from './candidate.ts'

/** The claims where pods without a place would go, nominated or not. */
export type Expected = ReadonlyMap<NodeClaimName, 'pods' | 'buffers'>

const EXPECTS = { pods: 'a pending pod fits on it', buffers: 'a capacity buffer keeps its room' } as const

/** Leaves out buffers. As in Karpenter, a buffer keeps neither a drifted machine nor one with pods. Its room moves before such a machine goes. */
export function ofPodsAlone(expected: () => Expected): () => Expected {
  return () => new Map([...expected()].filter(([, by]) => by === 'pods'))
}

/**
 * Why the machine must stay for now. Undefined if nothing forbids its end. `isForced`: pods do not hold the machine, since its claim bounds how long
 * they may.
 */
export function protectionOf(candidate: Candidate, input: ProtectionInput, isForced = false): Reason | undefined {
  const { claim, machine } = candidate
  const { snapshot, expected, promised } = input
  const awaited = firstByName(factsOf(machine).awaited)
  if (awaited !== undefined)
    return reasonOf(claim, 'DISRUPTION.NOMINATED', `kube-scheduler is about to bind pod ${awaited.key} to its node`)
  if (promised.has(claim.name)) return reasonOf(claim, 'DISRUPTION.NOMINATED', 'a pod is expected on it')
  if (snapshot.commands.some(({ replacements }) => replacements.includes(claim.name)))
    return reasonOf(claim, 'DISRUPTION.NOMINATED', 'a move under way waits for it')
  if (isAnnotatedToStay(candidate)) {
    return reasonOf(claim, 'DISRUPTION.DO_NOT_DISRUPT', `its node is annotated ${ANNOTATION.doNotDisrupt}`)
  }
  // Ending an empty machine moves no pod, so it does not repeat the move that failed.
  const rests = restsOf(claim, snapshot.backOffs, snapshot.takenAt).filter(({ unread }) => unread || factsOf(machine).pods.length > 0)
  if (rests.length > 0) return reasonOf(claim, 'DISRUPTION.RESTING', restMessage(rests))
  const held = isForced ? undefined : heldPod(machine, input)
  if (held !== undefined) return reasonOf(claim, held.code, held.message)
  const expects = expected().get(claim.name)
  return expects === undefined ? undefined : reasonOf(claim, 'DISRUPTION.NOMINATED', EXPECTS[expects])
}

export type ProtectionInput = {
  readonly snapshot: FleetSnapshot
  /** Takes a plan to find, so it is asked last. */
  readonly expected: () => Expected
  readonly promised: ReadonlySet<NodeClaimName>
  readonly budgetsOf: BudgetsOf
}

/** The claims with a nomination that has not run out. */
export function promisedClaims({ nominations, takenAt }: FleetSnapshot): ReadonlySet<NodeClaimName> {
  return new Set(nominations.filter(({ until }) => until > takenAt).map(({ claim }) => claim))
}

/** When the last of the pods that protect the machine for a time ceases to. Undefined if none does, or if something protects it without an end. */
export function protectionEnds(candidate: Candidate, now: EpochMs): EpochMs | undefined {
  if (isAnnotatedToStay(candidate)) return undefined
  const ends = factsOf(candidate.machine).withDoNotDisrupt.flatMap((pod) => doNotDisruptUntil(pod) ?? [])
  const times = ends.filter((end) => end !== 'unknown')
  const last = largestOf(times, 0)
  return times.length < ends.length || last <= now ? undefined : epochMs(last)
}

export type HeldPod = { readonly code: 'DISRUPTION.DO_NOT_DISRUPT' | 'DISRUPTION.PDB'; readonly message: string }

/** The first pod by name that holds the machine, and why. Undefined if none does. */
export function heldPod(
  machine: StateNode,
  { snapshot: { takenAt, objects }, budgetsOf }: Pick<ProtectionInput, 'snapshot' | 'budgetsOf'>,
): HeldPod | undefined {
  const kept = firstByName(factsOf(machine).withDoNotDisrupt.filter((pod) => isDoNotDisrupt(pod, takenAt)))
  if (kept !== undefined) return { code: 'DISRUPTION.DO_NOT_DISRUPT', message: `pod ${kept.key} is annotated ${ANNOTATION.doNotDisrupt}` }
  // Stryker disable next-line ConditionalExpression: without budgets no pod has a budget, the line saves time
  if (objects.podDisruptionBudget.length === 0) return undefined
  const guarded = firstByName(machine.pods.filter((pod) => blockingBudgets(pod, budgetsOf(pod)).length > 0 && isEvictable(pod, takenAt)))
  return guarded === undefined ? undefined : { code: 'DISRUPTION.PDB', message: guardText(guarded, budgetsOf(guarded)) }
}

/** Names the budgets that hold the pod. A budget that can never let the pod go is described as such, before anything is closed. */
function guardText(pod: Pod, own: readonly PodDisruptionBudget[]): string {
  const { key } = pod
  const budgets = blockingBudgets(pod, own)
  const names = budgets
    .map((budget) => budget.key)
    .sort()
    .join(' and ')
  if (budgets.length === 1 && isHeldForGood(pod, own)) {
    return `pod disruption budget ${names} can never allow the eviction of pod ${key}: it requires as many healthy pods as the workload has; loosen the budget, or add replicas`
  }
  return budgets.length === 1
    ? `pod disruption budget ${names} prevents the eviction of pod ${key}`
    : `pod disruption budgets ${names} select pod ${key}: Kubernetes evicts no pod with several`
}

function firstByName(pods: readonly Pod[]): Pod | undefined {
  return pods.reduce<Pod | undefined>((first, pod) => (first === undefined || pod.key < first.key ? pod : first), undefined)
}

export type BudgetsOf = (pod: Pod) => readonly PodDisruptionBudget[]

/** Finds the PodDisruptionBudgets of a pod. Copies of one template share their labels, so their budgets are looked up once. */
export function podBudgets(budgets: readonly PodDisruptionBudget[]): BudgetsOf {
  const byNamespace = Map.groupBy(budgets, namespaceOf)
  const known = new Map<string, WeakMap<Labels, readonly PodDisruptionBudget[]>>()
  return (pod) => {
    const namespace = namespaceOf(pod)
    const near = byNamespace.get(namespace)
    if (near === undefined) return NO_BUDGETS
    const ofNamespace = known.get(namespace) ?? new WeakMap<Labels, readonly PodDisruptionBudget[]>()
    known.set(namespace, ofNamespace)
    const same = ofNamespace.get(pod.labels)
    if (same !== undefined) return same
    const own = budgetsOf(pod, near)
    ofNamespace.set(pod.labels, own)
    return own
  }
}

const NO_BUDGETS: readonly PodDisruptionBudget[] = []
