import { ownValue } from '../../../shared/base/values.ts'
import { parseQuantity } from '../../cluster/quantity.ts'
import { asText, type Json, type JsonObject, listAt, objectAt, textAt } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'

/** CPU in thousandths, memory in KiB. */
type Amounts = { readonly cpu: number; readonly memory: number }

/** A container uses this share of its requests. The shares are constant, so that two readings of one cluster are the same. */
const CPU_SHARE = 0.5
const MEMORY_SHARE = 0.75
/** Usage of a container without requests. */
const IDLE: Amounts = { cpu: 1, memory: 4096 }
const NONE: Amounts = { cpu: 0, memory: 0 }

/** Returns the usage of each running container of a pod. Empty if the pod does not run on a node. */
export function containersOf(pod: KubeObject): readonly JsonObject[] {
  if (textAt(pod, 'status', 'phase') !== 'Running' || textAt(pod, 'spec', 'nodeName') === '') return []
  const sidecars = listAt(pod, 'spec', 'initContainers').filter((container) => textAt(container, 'restartPolicy') === 'Always')
  return [...sidecars, ...listAt(pod, 'spec', 'containers')].map((container) => ({
    name: textAt(container, 'name'),
    usage: printed(containerUsage(container)),
  }))
}

/** Returns the usage of a node: that of its pods, and a share of what it keeps for the system. */
export function nodeUsage(node: KubeObject, podsOfNode: readonly KubeObject[]): JsonObject {
  const capacity = amountsOf(objectAt(node, 'status', 'capacity'))
  const allocatable = amountsOf(objectAt(node, 'status', 'allocatable'))
  const system = share({ cpu: capacity.cpu - allocatable.cpu, memory: capacity.memory - allocatable.memory })
  const pods = podsOfNode.flatMap(containersOf).map((container) => amountsOf(objectAt(container, 'usage')))
  return printed(pods.reduce(add, system))
}

/** The usage of a NodeMetrics, or the sum of a PodMetrics. */
export function usageOf(metrics: KubeObject): JsonObject {
  if (metrics.kind === 'NodeMetrics') return objectAt(metrics, 'usage')
  return printed(
    listAt(metrics, 'containers')
      .map((container) => amountsOf(objectAt(container, 'usage')))
      .reduce(add, NONE),
  )
}

function containerUsage(container: Json): Amounts {
  const requests = amountsOf(objectAt(container, 'resources', 'requests'))
  const used = share(requests)
  return { cpu: used.cpu > 0 ? used.cpu : IDLE.cpu, memory: used.memory > 0 ? used.memory : IDLE.memory }
}

function share({ cpu, memory }: Amounts): Amounts {
  return { cpu: Math.max(0, Math.round(cpu * CPU_SHARE)), memory: Math.max(0, Math.round(memory * MEMORY_SHARE)) }
}

function add(first: Amounts, second: Amounts): Amounts {
  return { cpu: first.cpu + second.cpu, memory: first.memory + second.memory }
}

function amountsOf(list: JsonObject): Amounts {
  const read = (name: string): number => parseQuantity(asText(ownValue(list, name) ?? '')) ?? 0
  return { cpu: Math.round(read('cpu') * 1000), memory: Math.round(read('memory') / 1024) }
}

function printed({ cpu, memory }: Amounts): JsonObject {
  return { cpu: `${cpu}m`, memory: `${memory}Ki` }
}
