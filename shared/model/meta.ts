import type { Uid } from './ids.ts'
import type { EpochMs } from './units.ts'

export type Labels = { readonly [key: string]: string }

/** What every Kubernetes object carries, reduced to what decisions and writes need. */
export type Meta = {
  readonly uid: Uid
  readonly labels: Labels
  readonly annotations: Labels
  readonly createdAt: EpochMs
  /** Set once deletion was asked for. */
  readonly deletedAt?: EpochMs
  readonly generation: number
  readonly resourceVersion: string
  readonly finalizers: readonly string[]
}
