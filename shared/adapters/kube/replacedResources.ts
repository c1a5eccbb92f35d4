import type { Resources } from '../../model/resources.ts'
import { resourcesToKube } from '../../wire/kube/print.ts'

/** A merge patch from one map of quantities to another. Removed resources are null. */
export function replacedResources(before: Resources, after: Resources): { readonly [resource: string]: string | null } {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...resourcesToKube(after) }
}
