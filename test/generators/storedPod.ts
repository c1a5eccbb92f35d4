import type { Pod, PodAffinity, PodAffinityTerm } from '../../shared/model/pod.ts'
import { withOwnLabels } from '../checker/ownLabels.ts'

/**
 * The pod as the API server stores it: `matchLabelKeys` and `mismatchLabelKeys` of affinity terms are written into their selectors when the pod is
 * created. Karpenter relies on this (https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#matchlabelkeys, read 2026-11-27).
 */
export function storedPod(pod: Pod): Pod {
  const term = (each: PodAffinityTerm): PodAffinityTerm => {
    const selector = withOwnLabels(each.selector, pod, each.matchLabelKeys, each.mismatchLabelKeys)
    return selector === undefined ? each : { ...each, selector }
  }
  const affinity = ({ required, preferred }: PodAffinity): PodAffinity => ({
    required: required.map(term),
    preferred: preferred.map((each) => ({ ...each, term: term(each.term) })),
  })
  return { ...pod, podAffinity: affinity(pod.podAffinity), podAntiAffinity: affinity(pod.podAntiAffinity) }
}
