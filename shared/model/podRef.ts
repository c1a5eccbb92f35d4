import type { ObjectKey, Uid } from './ids.ts'

/** A pod by name and uid, since a later pod may have the same name. */
export type PodRef = { readonly key: ObjectKey; readonly uid: Uid }

/** Returns only the pod's name and uid. */
export function refOf({ key, uid }: PodRef): PodRef {
  return { key, uid }
}
