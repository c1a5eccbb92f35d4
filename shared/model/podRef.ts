import type { ObjectKey, Uid } from './ids.ts'

/** A pod by its name and its uid: another pod may have the name by now. */
export type PodRef = { readonly key: ObjectKey; readonly uid: Uid }

/** The pod's name and uid, and nothing else of it. */
export function refOf({ key, uid }: PodRef): PodRef {
  return { key, uid }
}
