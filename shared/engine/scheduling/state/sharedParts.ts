import type { Pod } from '../../../model/pod.ts'

/**
 * Pods that say the same share it. Nearly all pods of a cluster are copies of a few templates, and each comes with a copy of its own: a
 * state that is kept is a third as large without them. Only memory changes: a pod is still equal to what it was.
 */
export function partSharer(): (pod: Pod) => Pod {
  const labels = sharer<Pod['labels']>()
  const annotations = sharer<Pod['annotations']>()
  const requests = sharer<Pod['requests']>()
  const nodeSelector = sharer<Pod['nodeSelector']>()
  const requiredNodeTerms = sharer<NonNullable<Pod['requiredNodeTerms']>>()
  const preferredNodeTerms = sharer<Pod['preferredNodeTerms']>()
  const tolerations = sharer<Pod['tolerations']>()
  const topologySpread = sharer<Pod['topologySpread']>()
  const affinity = sharer<Pod['podAffinity']>()
  const hostPorts = sharer<Pod['hostPorts']>()
  const names = sharer<readonly string[]>()
  const owner = sharer<NonNullable<Pod['owner']>>()
  const volumes = sharer<Pod['volumes']>()
  return (pod) => ({
    ...pod,
    labels: labels(pod.labels),
    annotations: annotations(pod.annotations),
    requests: requests(pod.requests),
    nodeSelector: nodeSelector(pod.nodeSelector),
    preferredNodeTerms: preferredNodeTerms(pod.preferredNodeTerms),
    tolerations: tolerations(pod.tolerations),
    topologySpread: topologySpread(pod.topologySpread),
    podAffinity: affinity(pod.podAffinity),
    podAntiAffinity: affinity(pod.podAntiAffinity),
    hostPorts: hostPorts(pod.hostPorts),
    schedulingGates: names(pod.schedulingGates),
    resourceClaims: names(pod.resourceClaims),
    // Claims of a pod are mostly its own.
    volumes: pod.volumes.length === 0 ? volumes(pod.volumes) : pod.volumes,
    ...(pod.owner === undefined ? {} : { owner: owner(pod.owner) }),
    ...(pod.requiredNodeTerms === undefined ? {} : { requiredNodeTerms: requiredNodeTerms(pod.requiredNodeTerms) }),
  })
}

/** Parts of one kind that are remembered: what pods say changes over the months. */
const MOST_PARTS = 50_000

function sharer<Part extends object>(): (part: Part) => Part {
  const parts = new Map<string, Part>()
  let last: Part | undefined
  return (part) => {
    // Pods that were read one after another share much already.
    if (part === last) return part
    const text = isEmpty(part) ? '' : JSON.stringify(part)
    const known = parts.get(text)
    if (known !== undefined) {
      last = known
      return known
    }
    if (parts.size >= MOST_PARTS) parts.clear()
    parts.set(text, part)
    last = part
    return part
  }
}

function isEmpty(part: object): boolean {
  for (const _ in part) return false
  return true
}
