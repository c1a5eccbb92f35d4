import type { Condition } from './condition.ts'
import type { ObjectKey, Uid } from './ids.ts'
import type { Meta } from './labels.ts'
import type { Pod } from './pod.ts'
import type { Resources } from './resources.ts'

/** Capacity to be kept free for future pods, counted in pods of one shape. */
export type CapacityBuffer = {
  readonly key: ObjectKey
  readonly meta: Meta
  /** Copied to the status. All strategies have the same effect. */
  readonly strategy: string
  /** Name of a PodTemplate in the same namespace. Excludes `scalable`. */
  readonly podTemplate?: string
  readonly scalable?: { readonly apiGroup: string; readonly kind: string; readonly name: string }
  readonly replicas?: number
  /** Percentage of the scalable's replicas. */
  readonly percentage?: number
  readonly limits?: Resources
  readonly status: CapacityBufferStatus
}

export type CapacityBufferStatus = {
  readonly podTemplate?: string
  readonly podTemplateGeneration?: number
  /** The number of pods that capacity is kept for. */
  readonly replicas?: number
  readonly strategy?: string
  readonly conditions: readonly Condition[]
}

/** A PodTemplate, with the pod that it would make. */
export type PodTemplate = { readonly key: ObjectKey; readonly uid: Uid; readonly generation: number; readonly pod: Pod }
