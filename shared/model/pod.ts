import type { NodeName, ObjectKey, Uid } from './ids.ts'
import type { Labels } from './meta.ts'
import type { RequirementSpec } from './requirement.ts'
import type { Resources } from './resources.ts'
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
export type PodOwner = { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid: Uid }

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
