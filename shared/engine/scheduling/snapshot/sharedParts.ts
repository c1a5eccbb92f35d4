import type { Pod } from '../../../model/pod.ts'

/**
 * Lets pods share equal parts. Nearly all pods of a cluster are copies of a few templates, and each comes with its own copy of every part. A state
 * that is kept is a third as large without these copies. Only memory changes: a pod is still equal to what it was.
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
  const partsOf = (pod: Pod): Partial<Pod> => ({
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
    // The volume claims of a pod are mostly its own.
    volumes: pod.volumes.length === 0 ? volumes(pod.volumes) : pod.volumes,
    ...(pod.owner === undefined ? {} : { owner: owner(pod.owner) }),
    ...(pod.requiredNodeTerms === undefined ? {} : { requiredNodeTerms: requiredNodeTerms(pod.requiredNodeTerms) }),
  })
  /** The last pod with these labels. Copies that were read together share all parts already, so nothing is looked up for them. */
  const copies = new WeakMap<Pod['labels'], Pod>()
  return (pod) => {
    const copy = copies.get(pod.labels)
    if (copy !== undefined && haveOneCopy(copy, pod)) return pod
    const parts = partsOf(pod)
    const shared = haveOneCopy({ ...pod, ...parts }, pod) ? pod : { ...pod, ...parts }
    copies.set(shared.labels, shared)
    return shared
  }
}

/** Reports whether two pods hold the same part objects. It is written out field by field because it runs for each pod that is loaded. */
function haveOneCopy(first: Pod, second: Pod): boolean {
  return (
    first.labels === second.labels &&
    first.annotations === second.annotations &&
    first.requests === second.requests &&
    first.owner === second.owner &&
    first.schedulingGates === second.schedulingGates &&
    first.resourceClaims === second.resourceClaims &&
    (first.volumes === second.volumes || second.volumes.length > 0) &&
    haveOneCopyOfRules(first, second)
  )
}

function haveOneCopyOfRules(first: Pod, second: Pod): boolean {
  return (
    first.nodeSelector === second.nodeSelector &&
    first.requiredNodeTerms === second.requiredNodeTerms &&
    first.preferredNodeTerms === second.preferredNodeTerms &&
    first.tolerations === second.tolerations &&
    first.topologySpread === second.topologySpread &&
    first.podAffinity === second.podAffinity &&
    first.podAntiAffinity === second.podAntiAffinity &&
    first.hostPorts === second.hostPorts
  )
}

/** Returns one shared object for equal parts. A part is released with the last pod that has it, since specs change over the months. */
function sharer<Part extends object>(): (part: Part) => Part {
  const parts = new Map<string, WeakRef<Part>>()
  const gone = new FinalizationRegistry<string>((text) => {
    if (parts.get(text)?.deref() === undefined) parts.delete(text)
  })
  /**
   * The shared part for each object seen. Pods that were read together may share objects already, which are then found without a look at their
   * content.
   */
  const known = new WeakMap<Part, Part>()

  function byContent(part: Part): Part {
    const text = isEmpty(part) ? '' : JSON.stringify(part)
    const equal = parts.get(text)?.deref()
    if (equal !== undefined) return equal
    parts.set(text, new WeakRef(part))
    gone.register(part, text)
    return part
  }

  return (part) => {
    const before = known.get(part)
    if (before !== undefined) return before
    const shared = byContent(part)
    known.set(part, shared)
    return shared
  }
}

function isEmpty(part: object): boolean {
  for (const _ in part) return false
  return true
}
