import type { Condition } from './condition.ts'
import type { ObjectKey, Uid } from './ids.ts'
import type { Meta } from './meta.ts'
import type { Pod } from './pod.ts'
import type { Resources } from './resources.ts'

/** Room to be kept free for pods to come, counted in pods of one shape. */
export type CapacityBuffer = {
  readonly key: ObjectKey
  readonly meta: Meta
  /** Said again in the status; all strategies are followed alike. */
  readonly strategy: string
  /** Name of a PodTemplate in the same namespace. Excludes `scalable`. */
  readonly podTemplate?: string
  readonly scalable?: { readonly apiGroup: string; readonly kind: string; readonly name: string }
  readonly replicas?: number
  /** Of the scalable's replicas. */
  readonly percentage?: number
  readonly limits?: Resources
  readonly status: CapacityBufferStatus
}

export type CapacityBufferStatus = {
  readonly podTemplate?: string
  readonly podTemplateGeneration?: number
  /** Pods that room is kept for. */
  readonly replicas?: number
  readonly strategy?: string
  readonly conditions: readonly Condition[]
}

/** A PodTemplate, as the pod it would make. */
export type PodTemplate = { readonly key: ObjectKey; readonly uid: Uid; readonly generation: number; readonly pod: Pod }
