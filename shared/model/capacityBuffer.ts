import type { ObjectKey, Uid } from './ids.ts'
import type { Pod } from './pod.ts'
import type { Resources } from './resources.ts'

/** Room to be kept free for pods to come, counted in pods of one shape. */
export type CapacityBuffer = {
  readonly key: ObjectKey
  readonly uid: Uid
  /** Name of a PodTemplate in the same namespace. Excludes `scalable`. */
  readonly podTemplate?: string
  readonly scalable?: { readonly apiGroup: string; readonly kind: string; readonly name: string }
  readonly replicas?: number
  /** Of the scalable's replicas. */
  readonly percentage?: number
  readonly limits?: Resources
}

/** A PodTemplate, as the pod it would make. */
export type PodTemplate = { readonly key: ObjectKey; readonly uid: Uid; readonly pod: Pod }
