import type { Pod } from '../../../../model/pod.ts'
import type { PodReplicas } from './podReplicas.ts'
import type { VolumeNeeds } from './volumes.ts'

/** Replicas that are planned, with what their volumes require. */
export type Candidate = PodReplicas & {
  readonly volumes: VolumeNeeds
  /** True if the pods ask for resources and nothing else. Most pods do, and they need not be compared field by field. */
  readonly isPlain: boolean
}

export function isPlain(pod: Pod): boolean {
  const { preferredNodeTerms, tolerations, topologySpread, podAffinity, podAntiAffinity } = pod
  if (preferredNodeTerms.length + tolerations.length + topologySpread.length > 0) return false
  if (podAffinity.required.length + podAffinity.preferred.length > 0) return false
  if (podAntiAffinity.required.length + podAntiAffinity.preferred.length > 0) return false
  if (pod.hostPorts.length + pod.volumes.length + pod.resourceClaims.length > 0) return false
  return namesNoNode(pod)
}

/** Reports whether the pod requires nothing of the labels of nodes. */
export function namesNoNode({ requiredNodeTerms, nodeSelector }: Pod): boolean {
  if (requiredNodeTerms !== undefined) return false
  for (const _ in nodeSelector) return false
  return true
}

/** Reports whether the pod has to leave its node, and has preferences that it can give up. Such pods are told apart from pods that wait. */
export function isLeaving({ nodeName, preferredNodeTerms, podAffinity, podAntiAffinity, topologySpread }: Pod): boolean {
  if (nodeName === undefined) return false
  if (preferredNodeTerms.length + podAffinity.preferred.length + podAntiAffinity.preferred.length > 0) return true
  return topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
}
