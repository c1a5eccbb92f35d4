import type { Pod } from '../client/objects.ts'
import { REAL_CONTROL_PLANE } from '../realControlPlane.ts'

/**
 * Returns why this scheduler must not place the pod at all: only a part that the embedded stack does not have can decide about the pod. The pod
 * waits with this message, because it could run in a wrong place otherwise.
 */
export function unsupportedReason(pod: Pod): string | undefined {
  const volume = (pod.spec.volumes ?? []).find((each) => each.persistentVolumeClaim !== undefined || each.ephemeral !== undefined)
  if (volume !== undefined) {
    return `the embedded scheduler does not bind volumes: volume "${volume.name}" needs a persistent volume claim; ${REAL_CONTROL_PLANE}`
  }
  if ((pod.spec.resourceClaims ?? []).length > 0) {
    return `the embedded scheduler does not allocate devices, which spec.resourceClaims asks for; ${REAL_CONTROL_PLANE}`
  }
  return undefined
}
