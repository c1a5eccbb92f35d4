import { ownValue } from '../base/values.ts'
import type { NodeName, ObjectKey, Uid } from './ids.ts'
import type { Labels } from './labels.ts'
import type { RequirementSpec } from './requirements.ts'
import { add, maxOf, NO_RESOURCES, nonZero, type Resources, sum } from './resources.ts'
import type { Toleration } from './taint.ts'
import type { EpochMs } from './units.ts'

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'

/** A pod, reduced to what decisions depend on. */
export type Pod = {
  readonly key: ObjectKey
  readonly uid: Uid
  readonly labels: Labels
  readonly createdAt: EpochMs
  readonly deletedAt?: EpochMs
  readonly phase: PodPhase
  readonly nodeName?: NodeName
  /** The node that the scheduler is about to bind the pod to: once preempted pods are gone, or once the volumes of the pod are made. */
  readonly nominatedNodeName?: NodeName
  /** When the nominated node was written. Undefined if there is none, or if the API server does not say when. */
  readonly nominatedAt?: EpochMs
  /** When the scheduler bound the pod. */
  readonly scheduledAt?: EpochMs
  /** When the kubelet accepted the pod. Set only for pods with a do-not-disrupt annotation, since nothing else depends on it. */
  readonly startedAt?: EpochMs
  /** True if the pod runs and its Ready condition is False. Otherwise undefined. */
  readonly isUnready?: true
  /** When the scheduler reported `Unschedulable`. Undefined if it did not. */
  readonly unschedulableSince?: EpochMs
  readonly schedulerName: string
  /** Scheduling gates that were not removed yet. With any of them the scheduler ignores the pod. */
  readonly schedulingGates: readonly string[]
  readonly owner?: PodOwner
  /** Effective requests: containers, sidecars, init containers, pod-level resources and overhead; includes `pods: 1`. */
  readonly requests: Resources
  readonly nodeSelector: Labels
  /** Required node affinity: a node must meet one of the terms. Undefined if there is no required affinity. */
  readonly requiredNodeTerms?: readonly NodeSelectorTerm[]
  readonly preferredNodeTerms: readonly PreferredNodeTerm[]
  readonly tolerations: readonly Toleration[]
  readonly topologySpread: readonly TopologySpreadConstraint[]
  readonly podAffinity: PodAffinity
  readonly podAntiAffinity: PodAffinity
  readonly hostPorts: readonly HostPort[]
  readonly volumes: readonly PodVolume[]
  /** Names of the resource claims (dynamic resource allocation) the pod asks for. */
  readonly resourceClaims: readonly string[]
  /** The group of pods that kube-scheduler binds together or not at all. Undefined if the pod is bound alone. */
  readonly schedulingGroup?: string
  readonly priority: number
  readonly priorityClassName?: string
  readonly preemptionPolicy: 'PreemptLowerPriority' | 'Never'
  readonly terminationGracePeriodSeconds?: number
  readonly annotations: Labels
}

/** The controlling owner, or the first owner if none controls the pod. */
export type PodOwner = {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: Uid
  /** False: the owner does not control the pod, so its selector says nothing of the pod. Absent: it does. */
  readonly controls?: false
}

export type NodeSelectorTerm = {
  readonly matchExpressions: readonly RequirementSpec[]
  readonly matchFields: readonly RequirementSpec[]
}

export type PreferredNodeTerm = { readonly weight: number; readonly term: NodeSelectorTerm }

/** An undefined selector selects nothing. An empty selector selects everything. */
export type LabelSelector = { readonly matchLabels: Labels; readonly matchExpressions: readonly RequirementSpec[] }

export type TopologySpreadConstraint = {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'
  readonly selector?: LabelSelector
  readonly minDomains?: number
  readonly nodeAffinityPolicy: 'Honor' | 'Ignore'
  readonly nodeTaintsPolicy: 'Honor' | 'Ignore'
  readonly matchLabelKeys: readonly string[]
}

export type PodAffinity = {
  readonly required: readonly PodAffinityTerm[]
  readonly preferred: readonly { readonly weight: number; readonly term: PodAffinityTerm }[]
}

export type PodAffinityTerm = {
  readonly topologyKey: string
  readonly selector?: LabelSelector
  readonly namespaces: readonly string[]
  readonly namespaceSelector?: LabelSelector
  readonly matchLabelKeys: readonly string[]
  readonly mismatchLabelKeys: readonly string[]
}

export type HostPort = { readonly ip: string; readonly port: number; readonly protocol: string }

/** Volumes that can restrict where a pod runs. Config maps, secrets, emptyDirs and the like are left out. */
export type PodVolume =
  | { readonly kind: 'claim'; readonly claimName: string }
  | { readonly kind: 'ephemeral'; readonly claimName: string; readonly storageClassName?: string }
  | { readonly kind: 'csi'; readonly driver: string }
  | { readonly kind: 'other'; readonly type: string }

/** A pod by name and uid, since a later pod may have the same name. */
export type PodRef = { readonly key: ObjectKey; readonly uid: Uid }

/** Returns only the pod's name and uid. */
export function refOf({ key, uid }: PodRef): PodRef {
  return { key, uid }
}

/** The resource fields of a pod, from which its effective requests are computed. */
export type PodResourceParts = {
  readonly containers: readonly ContainerRequests[]
  /** In the order in which they run. */
  readonly initContainers: readonly ContainerRequests[]
  /** `spec.resources.requests`. Replaces the sum of the containers for CPU, memory and huge pages. */
  readonly podResources?: Resources
  /** Overhead of the runtime class. */
  readonly overhead?: Resources
  /** True if the node cannot provide a requested resize. Then only the current allocation counts, not the new request. */
  readonly resizeInfeasible?: boolean
  /** Allocated and actual pod-level resources in the status. */
  readonly podStatusResources?: readonly Resources[]
}

export type ContainerRequests = {
  readonly requests: Resources
  /** True for an init container with `restartPolicy: Always`, which keeps running. */
  readonly sidecar?: boolean
  /** Allocated and actual resources in the status, for an in-place resize that may be under way. */
  readonly statusResources?: readonly Resources[]
}

/**
 * Returns the effective requests of a pod: the larger of the sum of containers and sidecars and the peak during initialization, with pod-level
 * resources, the runtime's overhead and `pods: 1`.
 */
export function effectivePodRequests(parts: PodResourceParts): Resources {
  const settled = parts.resizeInfeasible === true
  let running = sum(parts.containers.map((container) => heldBy(container, settled)))
  let sidecars = NO_RESOURCES
  let start = NO_RESOURCES
  for (const container of parts.initContainers) {
    if (container.sidecar) {
      const held = heldBy(container, settled)
      running = add(running, held)
      sidecars = add(sidecars, held)
      start = maxOf(start, sidecars)
    } else {
      start = maxOf(start, add(container.requests, sidecars))
    }
  }
  const own = podLevel(parts, settled)
  return { ...nonZero(add({ ...maxOf(running, start), ...own }, parts.overhead ?? NO_RESOURCES)), pods: 1 }
}

function heldBy(container: ContainerRequests, settled: boolean): Resources {
  if (!container.statusResources) return container.requests
  return container.statusResources.reduce(maxOf, settled ? NO_RESOURCES : container.requests)
}

function podLevel(parts: PodResourceParts, settled: boolean): Resources {
  const asked = parts.podResources ?? NO_RESOURCES
  const held = (parts.podStatusResources ?? []).reduce(maxOf, settled && parts.podStatusResources ? NO_RESOURCES : asked)
  return Object.fromEntries(Object.entries(held).filter(([name]) => isPodLevel(name) && ownValue(asked, name) !== undefined))
}

function isPodLevel(resource: string): boolean {
  return resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-')
}
