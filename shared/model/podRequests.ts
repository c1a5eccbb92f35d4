import { add, maxOf, NO_RESOURCES, nonZero, type Resources, sum } from './resources.ts'

/** The resource part of a pod, before it is reduced to what the pod needs from a node. */
export type PodResourceParts = {
  readonly containers: readonly ContainerRequests[]
  /** In the order they run. */
  readonly initContainers: readonly ContainerRequests[]
  /** `spec.resources.requests`: for CPU, memory and huge pages it replaces what the containers add up to. */
  readonly podResources?: Resources
  /** What the runtime class adds. */
  readonly overhead?: Resources
  /** The node cannot give what the resize asks for: the wish does not count, only what the pod holds. */
  readonly resizeInfeasible?: boolean
  /** What the kubelet gave, and what runs, at the pod's own level. */
  readonly podStatusResources?: readonly Resources[]
}

export type ContainerRequests = {
  readonly requests: Resources
  /** An init container that keeps running: `restartPolicy: Always`. */
  readonly sidecar?: boolean
  /** What the kubelet gave and what runs, while a resize in place may be under way. */
  readonly statusResources?: readonly Resources[]
}

/**
 * What a pod takes from a node: its containers and sidecars together, or the largest moment of its start, whichever is
 * more, with the pod's own level, the runtime's overhead and one pod slot.
 */
export function effectivePodRequests(parts: PodResourceParts): Resources {
  const settled = parts.resizeInfeasible === true
  let running = sum(parts.containers.map((container) => heldBy(container, settled)))
  let sidecars = NO_RESOURCES
  let start = NO_RESOURCES
  for (const container of parts.initContainers) {
    if (container.sidecar) {
      const held = heldBy(container, settled)
      running = add(running, held)
      sidecars = add(sidecars, held)
      start = maxOf(start, sidecars)
    } else {
      start = maxOf(start, add(container.requests, sidecars))
    }
  }
  const own = podLevel(parts, settled)
  return { ...nonZero(add({ ...maxOf(running, start), ...own }, parts.overhead ?? NO_RESOURCES)), pods: 1 }
}

function heldBy(container: ContainerRequests, settled: boolean): Resources {
  if (!container.statusResources) return container.requests
  return container.statusResources.reduce(maxOf, settled ? NO_RESOURCES : container.requests)
}

function podLevel(parts: PodResourceParts, settled: boolean): Resources {
  const asked = parts.podResources ?? NO_RESOURCES
  const held = (parts.podStatusResources ?? []).reduce(maxOf, settled && parts.podStatusResources ? NO_RESOURCES : asked)
  return Object.fromEntries(Object.entries(held).filter(([name]) => isPodLevel(name) && asked[name] !== undefined))
}

function isPodLevel(resource: string): boolean {
  return resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-')
}
