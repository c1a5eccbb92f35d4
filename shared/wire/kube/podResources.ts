import { type ContainerRequests, effectivePodRequests } from '../../model/pod.ts'
import type { Resources } from '../../model/resources.ts'
import type { Trail } from '../codec.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { items, type KubeObject, type KubeRead, maybe, object, resources, text } from './read.ts'

export type PodResourceSource = {
  readonly spec: KubeObject
  readonly status: KubeObject
  /** True for a pod template, which the API server has not defaulted. A limit then stands for a request as in the pods of the template. */
  readonly limitsAsRequests: boolean
}

/** Returns the effective requests of the pod. */
export function podRequestsOf({ spec, status, limitsAsRequests }: PodResourceSource, trail: Trail): Resources {
  const requests = limitsAsRequests ? requestsOrLimits : requestsOnly
  const container: KubeRead<NamedContainer> = (json, at) => {
    const source = object(json, at)
    return {
      name: maybe(source, 'name', text, at) ?? '',
      requests: maybe(source, 'resources', requests, at) ?? NO_RESOURCES,
      sidecar: source['restartPolicy'] === 'Always',
    }
  }
  const containers = items(spec, 'containers', container, trail)
  const initContainers = items(spec, 'initContainers', container, trail)
  const podRequests = limitsAsRequests ? podRequestsOrLimits([...containers, ...initContainers]) : requestsOnly
  const podResources = maybe(spec, 'resources', podRequests, trail)
  const podStatus = statusResources(status, trail)
  return effectivePodRequests({
    containers: withStatus(containers, items(status, 'containerStatuses', containerStatus, trail)),
    initContainers: withStatus(initContainers, items(status, 'initContainerStatuses', containerStatus, trail)),
    overhead: maybe(spec, 'overhead', resources, trail) ?? NO_RESOURCES,
    resizeInfeasible: isResizeInfeasible(status),
    ...(podResources ? { podResources } : {}),
    ...(podStatus ? { podStatusResources: podStatus } : {}),
  })
}

const NO_RESOURCES = NO_LABELS as unknown as Resources

type NamedContainer = ContainerRequests & { readonly name: string }
type ContainerStatus = { readonly name: string; readonly held?: readonly Resources[] }

const requestsOnly: KubeRead<Resources> = (json, trail) => maybe(object(json, trail), 'requests', resources, trail) ?? NO_RESOURCES

const requestsOrLimits: KubeRead<Resources> = (json, trail) => {
  const source = object(json, trail)
  return { ...maybe(source, 'limits', resources, trail), ...maybe(source, 'requests', resources, trail) }
}

/**
 * The pod as a whole requests its limit of a resource only if no container requests any of it. Otherwise the sum of the containers counts. Huge pages
 * cannot be overcommitted: their limit is their request. (kubernetes v1.36.1, pkg/apis/core/v1/defaults.go)
 */
function podRequestsOrLimits(containers: readonly NamedContainer[]): KubeRead<Resources> {
  const isRequested = (name: string): boolean => containers.some(({ requests }) => Object.hasOwn(requests, name))
  return (json, trail) => {
    const limits = Object.entries(maybe(object(json, trail), 'limits', resources, trail) ?? NO_RESOURCES)
    const standing = limits.filter(([name]) => name.startsWith('hugepages-') || !isRequested(name))
    return { ...Object.fromEntries(standing), ...requestsOnly(json, trail) }
  }
}

const containerStatus: KubeRead<ContainerStatus> = (json, trail) => {
  const source = object(json, trail)
  const held = statusResources(source, trail)
  return { name: maybe(source, 'name', text, trail) ?? '', ...(held ? { held } : {}) }
}

/** Returns actual and allocated resources. Undefined if the status has no actual resources: a kubelet without in-place resize reports none. */
function statusResources(status: KubeObject, trail: Trail): readonly Resources[] | undefined {
  const actual = maybe(status, 'resources', requestsOnly, trail)
  if (!actual) return undefined
  return [actual, maybe(status, 'allocatedResources', resources, trail) ?? NO_RESOURCES]
}

function withStatus(containers: readonly NamedContainer[], statuses: readonly ContainerStatus[]): readonly ContainerRequests[] {
  return containers.map((container) => {
    const held = statuses.find(({ name }) => name === container.name)?.held
    return held ? { ...container, statusResources: held } : container
  })
}

function isResizeInfeasible(status: KubeObject): boolean {
  const conditions = status['conditions']
  if (!Array.isArray(conditions)) return false
  return conditions.some((one: unknown) => isCondition(one) && one['type'] === 'PodResizePending' && one['reason'] === 'Infeasible')
}

function isCondition(json: unknown): json is KubeObject {
  return typeof json === 'object' && json !== null
}
