/** Which pods need a place, what they wait for, and the order in which they are planned. */
import { inOrder } from '../../../../base/lists.ts'
import { stableHash } from '../../../../base/stableHash.ts'
import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import type { ProvisioningCursor } from '../../../../model/decision.ts'
import { ANNOTATION } from '../../../../model/labels.ts'
import { budgetsOf } from '../../../../model/nodePool.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { EpochMs } from '../../../../model/units.ts'
import type { PersistentVolumeClaim, PodDisruptionBudget } from '../../../../model/workloads.ts'
import type { StateNode } from '../../../cluster/stateNode.ts'
import { isHeldForGood } from '../../../pod/eviction.ts'
import {
  claimKeys,
  isDaemonPod,
  isDoNotDisrupt,
  isEvictable,
  isMirrorPod,
  isReschedulable,
  isTerminal,
} from '../../../pod/podPredicates.ts'
import type { PodClass, QueueEntry } from './constraint.ts'
import { byAge, bySize, type PodReplicas } from './podReplicas.ts'

/** Pods of deleting machines that need a place elsewhere. */
export function movingPods(
  deleting: Iterable<Pick<StateNode, 'pods'>>,
  now: EpochMs,
  budgets: readonly PodDisruptionBudget[] = [],
): readonly Pod[] {
  return [...deleting].flatMap(({ pods }) => pods.filter((pod) => willMove(pod, now, budgets)))
}

/** The same pods if nothing held `pod`: no annotation, and none of its PodDisruptionBudgets, which then hold no other pod either. */
export function movingOnceLetGo(
  pod: Pod,
  deleting: readonly StateNode[],
  now: EpochMs,
  budgets: readonly PodDisruptionBudget[],
): readonly Pod[] {
  const { [ANNOTATION.doNotDisrupt]: _, ...annotations } = pod.annotations
  const holding = new Set(budgetsOf(pod, budgets))
  const machines = deleting.map(({ pods }) => ({ pods: pods.map((each) => (each.key === pod.key ? { ...pod, annotations } : each)) }))
  return movingPods(
    machines,
    now,
    budgets.filter((budget) => !holding.has(budget)),
  )
}

/** Reports whether the pod moves. A pod that nothing can evict stays until the machine is gone. */
function willMove(pod: Pod, now: EpochMs, budgets: readonly PodDisruptionBudget[]): boolean {
  if (!isReschedulable(pod) || isDoNotDisrupt(pod, now)) return false
  return !isEvictable(pod, now) || !isHeldForGood(pod, budgets)
}

/** Reports whether the pod has no place and a new node could help. */
export function isFree(pod: Pod): boolean {
  if (pod.nodeName !== undefined || pod.nominatedNodeName !== undefined) return false
  if (pod.deletedAt !== undefined || pod.schedulingGates.length > 0 || isTerminal(pod)) return false
  return !isDaemonPod(pod) && !isMirrorPod(pod)
}

/** Volume claims of access mode ReadWriteOncePod. kube-scheduler refuses a pod on every node while another pod that has a node uses its claim. */
export type OnceClaims = {
  /** Reports whether one pod at a time may use the claim. */
  readonly isOncePod: (claim: string) => boolean
  /** A pod with a node that uses the claim. Undefined if there is none. */
  readonly userOf: (claim: string) => Pod | undefined
}

/** The claim that a pod has to wait for, and the pod that has it, or gets it first. */
export type Awaited = { readonly claim: string; readonly user: Pod }

/** Returns a function that finds the claim that a pod has to wait for. Of several waiting pods, the oldest one gets a claim. */
export function awaitedClaims(replicas: readonly PodReplicas[], { isOncePod, userOf }: OnceClaims): (pod: Pod) => Awaited | undefined {
  const oldest = new Map<string, Pod>()
  const claimsOf = (pod: Pod): readonly string[] => claimKeys(pod).filter(isOncePod)
  for (const { pod: each, pods } of replicas) {
    for (const claim of isWaiting(each) ? claimsOf(each) : []) {
      oldest.set(claim, pods().reduce(older, oldest.get(claim) ?? each))
    }
  }
  return (pod) => {
    if (!isWaiting(pod)) return undefined
    for (const claim of claimsOf(pod)) {
      const user = userOf(claim) ?? oldest.get(claim)
      if (user !== undefined && user.uid !== pod.uid) return { claim, user }
    }
    return undefined
  }
}

/** A pod with a node has its claims already. */
function isWaiting({ nodeName, volumes }: Pod): boolean {
  return nodeName === undefined && volumes.length > 0
}

function older(first: Pod, second: Pod): Pod {
  return byAge(first, second) <= 0 ? first : second
}

export type VolumeObjects = Pick<ClusterSnapshot['objects'], 'persistentVolumeClaim' | 'persistentVolume' | 'storageClass'>

/** What kube-scheduler decides by about one pod, as one value: while it stays the same, another try has the same outcome. */
export type SchedulingInputs = {
  /** A hash of the spec of the pod, its claims, and their classes and volumes. The node that the scheduler chooses for a volume is no input. */
  readonly hashOf: (pod: Pod) => string
  /** Reports whether the scheduler has chosen a node for a volume of the pod that is not made yet. */
  readonly isAwaitingVolume: (pod: Pod) => boolean
}

/** Volumes are indexed when a pod first needs them. */
export function schedulingInputs(objects: VolumeObjects): SchedulingInputs {
  let index: ReturnType<typeof indexOf> | undefined
  const claimsOf = (pod: Pod) => {
    const { claims } = (index ??= indexOf(objects))
    return claimKeys(pod).flatMap((key) => claims.get(key) ?? [])
  }
  return {
    hashOf(pod) {
      if (pod.volumes.length === 0) return stableHash(specOf(pod))
      const claims = claimsOf(pod)
      const { volumes, classes } = (index ??= indexOf(objects))
      const sources = claims.map(({ volumeName = '', storageClassName = '' }) => [volumes.get(volumeName), classes.get(storageClassName)])
      return stableHash({ ...specOf(pod), claims: claims.map((claim) => ({ ...claim, selectedNode: undefined })), sources })
    },
    isAwaitingVolume: (pod) => claimsOf(pod).some(({ selectedNode, volumeName }) => selectedNode !== undefined && volumeName === undefined),
  }
}

function indexOf({ persistentVolumeClaim, persistentVolume, storageClass }: VolumeObjects) {
  return {
    claims: new Map<string, PersistentVolumeClaim>(persistentVolumeClaim.map((each) => [each.key, each])),
    volumes: new Map(persistentVolume.map((each) => [each.name, each])),
    classes: new Map(storageClass.map((each) => [each.name, each])),
  }
}

function specOf(pod: Pod): object {
  const { labels, requests, nodeSelector, requiredNodeTerms, tolerations, topologySpread, podAffinity, podAntiAffinity } = pod
  const { hostPorts, volumes, resourceClaims, schedulingGroup, priority, schedulerName } = pod
  const rules = { nodeSelector, requiredNodeTerms, tolerations, topologySpread, podAffinity, podAntiAffinity }
  return { labels, requests, ...rules, hostPorts, volumes, resourceClaims, schedulingGroup, priority, schedulerName }
}

/** The order in which Karpenter looks at pods. */
export const inQueueOrder = inOrder<ProvisioningCursor>(bySize, byAge)

/**
 * The queue after a decision whose budget did not suffice for all pods: from the cursor on, and then the entries before it. `movable`: the number of
 * pods at the front whose entries may change places.
 */
export function fromCursor(queue: readonly QueueEntry[], cursor: ProvisioningCursor | undefined, movable: number): readonly QueueEntry[] {
  if (cursor === undefined) return queue
  const before = new Map<PodClass, number>()
  let passed = 0
  let first = 0
  let end = 0
  for (const [at, { podClass, count }] of queue.entries()) {
    if (passed >= movable) break
    passed += count
    end = at + 1
    const seen = (before.get(podClass) ?? 0) + count
    before.set(podClass, seen)
    const last = podClass.pods()[seen - 1]
    if (first === at && last !== undefined && inQueueOrder(last, cursor) < 0) first = at + 1
  }
  return first === 0 || first >= end ? queue : [...queue.slice(first, end), ...queue.slice(0, first), ...queue.slice(end)]
}
