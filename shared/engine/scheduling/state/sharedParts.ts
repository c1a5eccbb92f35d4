import type { NodeName } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'

/** Parts that are remembered: what pods say changes over the months. */
const MOST_PARTS = 50_000

/**
 * Pods that say the same share it. Nearly all pods of a cluster are copies of a few templates, and each comes with a copy of its own: a
 * state that is kept is a third as large without them. Only memory changes: a pod is still equal to what it was.
 */
export function partSharer(): (pod: Pod) => Pod {
  const parts = new Map<string, unknown>()
  const nodes = new Map<NodeName, NodeName>()

  function shared<Part extends object>(part: Part): Part {
    const text = JSON.stringify(part)
    const known = parts.get(text)
    // Equal text is equal data, and a part is told apart from others by where it is asked for.
    if (known !== undefined) return known as Part
    if (parts.size >= MOST_PARTS) parts.clear()
    parts.set(text, part)
    return part
  }

  function nodeOf(name: NodeName): NodeName {
    const known = nodes.get(name)
    if (known !== undefined) return known
    if (nodes.size >= MOST_PARTS) nodes.clear()
    nodes.set(name, name)
    return name
  }

  return (pod) => ({
    ...pod,
    labels: shared(pod.labels),
    annotations: shared(pod.annotations),
    requests: shared(pod.requests),
    nodeSelector: shared(pod.nodeSelector),
    preferredNodeTerms: shared(pod.preferredNodeTerms),
    tolerations: shared(pod.tolerations),
    topologySpread: shared(pod.topologySpread),
    podAffinity: shared(pod.podAffinity),
    podAntiAffinity: shared(pod.podAntiAffinity),
    hostPorts: shared(pod.hostPorts),
    schedulingGates: shared(pod.schedulingGates),
    resourceClaims: shared(pod.resourceClaims),
    // Claims of a pod are mostly its own.
    volumes: pod.volumes.length === 0 ? shared(pod.volumes) : pod.volumes,
    ...(pod.owner === undefined ? {} : { owner: shared(pod.owner) }),
    ...(pod.nodeName === undefined ? {} : { nodeName: nodeOf(pod.nodeName) }),
    ...(pod.requiredNodeTerms === undefined ? {} : { requiredNodeTerms: shared(pod.requiredNodeTerms) }),
  })
}
