import type { MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import type { Node } from '../../shared/model/node.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { Resources } from '../../shared/model/resources.ts'

/** `first`: the first node by name. `leastAllocated`: the node with the most free CPU, as kube-scheduler's score LeastAllocated prefers. */
export type NodeScore = 'first' | 'leastAllocated'

/**
 * Binds each pending pod, the longest waiting first, to the best node that it selects and that has room and no taint against it. Marks the other
 * pods as unschedulable.
 */
export function runScheduler({ objects, clock }: MemoryWorld, score: NodeScore): void {
  const pods = objects.all('pod')
  const pending = pods.filter(({ nodeName, deletedAt }) => nodeName === undefined && deletedAt === undefined)
  if (pending.length === 0) return
  const nodes = objects.all('node').filter(({ taints }) => taints.every(({ effect }) => effect === 'PreferNoSchedule'))
  const free = freeOn(nodes, pods)
  for (const pod of pending.sort((first, second) => first.createdAt - second.createdAt)) {
    const isFit = (each: Node): boolean => isFor(each, pod) && fits(free.get(each.name), pod.requests)
    const node = score === 'first' ? nodes.find(isFit) : leastAllocated(nodes.filter(isFit), free)
    if (node !== undefined) {
      take(free.get(node.name), pod.requests)
      objects.bind(pod.key, node.name)
    } else if (pod.unschedulableSince === undefined) objects.put('pod', { ...pod, unschedulableSince: clock.now() })
  }
}

function isFor({ meta: { labels } }: Node, { nodeSelector }: Pod): boolean {
  return Object.entries(nodeSelector).every(([key, value]) => labels[key] === value)
}

function leastAllocated(nodes: readonly Node[], free: ReadonlyMap<string, Free>): Node | undefined {
  const cpusOf = ({ name }: Node): number => free.get(name)?.get('cpu') ?? 0
  return nodes.reduce<Node | undefined>((best, each) => (best === undefined || cpusOf(each) > cpusOf(best) ? each : best), undefined)
}

type Free = Map<string, number>

function freeOn(nodes: readonly Node[], pods: readonly Pod[]): ReadonlyMap<string, Free> {
  const free = new Map(nodes.map(({ name, allocatable }): [string, Free] => [name, new Map(Object.entries(allocatable))]))
  for (const { nodeName, requests } of pods) if (nodeName !== undefined) take(free.get(nodeName), requests)
  return free
}

function take(free: Free | undefined, wanted: Resources): void {
  for (const [resource, amount] of Object.entries(wanted)) free?.set(resource, (free.get(resource) ?? 0) - amount)
}

function fits(free: Free | undefined, wanted: Resources): boolean {
  return Object.entries(wanted).every(([resource, amount]) => amount <= (free?.get(resource) ?? 0))
}
