import type { NodeName, ObjectKey, Uid } from './ids.ts'
import type { Labels } from './meta.ts'
import type { RequirementSpec } from './requirement.ts'
import type { Resources } from './resources.ts'
import type { Toleration } from './taint.ts'
import type { EpochMs } from './units.ts'

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'

/** A pod, reduced to what a decision can depend on. */
export type Pod = {
  readonly key: ObjectKey
  readonly uid: Uid
  readonly labels: Labels
  readonly createdAt: EpochMs
  readonly deletedAt?: EpochMs
  readonly phase: PodPhase
  readonly nodeName?: NodeName
  /** Set while the scheduler preempts other pods for this one. */
  readonly nominatedNodeName?: NodeName
  /** When the scheduler bound the pod. */
  readonly scheduledAt?: EpochMs
  /** When its kubelet took the pod in. Known of pods with a do-not-disrupt annotation alone, since nothing else depends on it. */
  readonly startedAt?: EpochMs
  /** It runs, and its Ready condition is False. Absent: it is ready, or does not run. */
  readonly isUnready?: true
  /** The scheduler said `Unschedulable`, at this time. */
  readonly unschedulableSince?: EpochMs
  readonly schedulerName: string
  /** Gates not yet lifted: the scheduler does not look at the pod. */
  readonly schedulingGates: readonly string[]
  readonly owner?: PodOwner
  /** Effective requests: containers, sidecars, init containers, pod-level resources and overhead; includes `pods: 1`. */
  readonly requests: Resources
  readonly nodeSelector: Labels
  /** Required node affinity: the terms are alternatives. Absent: no required affinity. */
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
  readonly priority: number
  readonly priorityClassName?: string
  readonly preemptionPolicy: 'PreemptLowerPriority' | 'Never'
  readonly terminationGracePeriodSeconds?: number
  readonly annotations: Labels
}

/** The controlling owner, or the first owner when none controls. */
export type PodOwner = { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid: Uid }

export type NodeSelectorTerm = {
  readonly matchExpressions: readonly RequirementSpec[]
  readonly matchFields: readonly RequirementSpec[]
}

export type PreferredNodeTerm = { readonly weight: number; readonly term: NodeSelectorTerm }

/** Absent selector selects nothing; an empty one selects everything. */
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

/** Volumes that can bind a pod to a place; config maps, secrets, empty dirs and the like are left out. */
export type PodVolume =
  | { readonly kind: 'claim'; readonly claimName: string }
  | { readonly kind: 'ephemeral'; readonly claimName: string; readonly storageClassName?: string }
  | { readonly kind: 'csi'; readonly driver: string }
  | { readonly kind: 'other'; readonly type: string }
