import { ownValue } from '../base/ownValue.ts'
import { add, maxOf, NO_RESOURCES, nonZero, type Resources, sum } from './resources.ts'

/** The resource fields of a pod, from which its effective requests are computed. */
export type PodResourceParts = {
  readonly containers: readonly ContainerRequests[]
  /** In the order in which they run. */
  readonly initContainers: readonly ContainerRequests[]
  /** `spec.resources.requests`. Replaces the sum of the containers for CPU, memory and huge pages. */
  readonly podResources?: Resources
  /** Overhead of the runtime class. */
  readonly overhead?: Resources
  /** True if the node cannot provide a requested resize. Then only the current allocation counts, not the new request. */
  readonly resizeInfeasible?: boolean
  /** Allocated and actual pod-level resources in the status. */
  readonly podStatusResources?: readonly Resources[]
}

export type ContainerRequests = {
  readonly requests: Resources
  /** True for an init container with `restartPolicy: Always`, which keeps running. */
  readonly sidecar?: boolean
  /** Allocated and actual resources in the status, for an in-place resize that may be under way. */
  readonly statusResources?: readonly Resources[]
}

/**
 * Returns the effective requests of a pod: the larger of the sum of containers and sidecars and the peak during initialization, with pod-level
 * resources, the runtime's overhead and `pods: 1`.
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
  return Object.fromEntries(Object.entries(held).filter(([name]) => isPodLevel(name) && ownValue(asked, name) !== undefined))
}

function isPodLevel(resource: string): boolean {
  return resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-')
}
