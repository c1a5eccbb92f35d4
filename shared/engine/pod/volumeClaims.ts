import { namespaceOf, objectKey } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'

const NONE: readonly string[] = []

/** Keys of the volume claims that the pod mounts, each once. */
export function claimKeys(pod: Pod): readonly string[] {
  if (pod.volumes.length === 0) return NONE
  const names = new Set(pod.volumes.flatMap((volume) => ('claimName' in volume ? [volume.claimName] : [])))
  return [...names].map((name) => objectKey(namespaceOf(pod), name))
}
