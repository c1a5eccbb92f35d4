import type { Uid } from './ids.ts'
import type { EpochMs } from './units.ts'

export type Labels = { readonly [key: string]: string }

/** The metadata of a Kubernetes object, reduced to what decisions and writes need. */
export type Meta = {
  readonly uid: Uid
  readonly labels: Labels
  readonly annotations: Labels
  readonly createdAt: EpochMs
  /** When deletion was requested. Undefined if it was not. */
  readonly deletedAt?: EpochMs
  readonly generation: number
  readonly resourceVersion: string
  readonly finalizers: readonly string[]
}
