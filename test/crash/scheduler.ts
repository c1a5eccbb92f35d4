import type { MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { selects } from '../../shared/model/labelSelector.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { Resources } from '../../shared/model/resources.ts'

/** `first`: the first node by name. `leastAllocated`: the node with the best score by kube-scheduler's defaults. */
export type NodeScore = 'first' | 'leastAllocated'

export type SchedulerOptions = {
  /** How the scheduler chooses among nodes that fit. Default: `first`. */
  readonly score?: NodeScore | undefined
  /** Why the scheduler refuses the pod on every node, for a reason of its own. */
  readonly refusal?: ((pod: Pod) => string | undefined) | undefined
  /** The most pods that one call binds. */
  readonly mostBinds?: number | undefined
}

/** Weight of kube-scheduler's plugin TaintToleration. NodeResourcesFit has the weight 1, and each of both scores up to 100. */
const TAINT_WEIGHT = 3

/**
 * Returns a function that binds each pending pod, the longest waiting first, to the best node that it selects and that has room and no taint against
 * it. A pod keeps away from nodes with pods that its required anti-affinity by hostname selects. Marks the other pods as unschedulable. While nothing
 * changes, pods without a place are not tried again.
 */
export function createScheduler({ objects, clock }: MemoryWorld, options: SchedulerOptions = {}): () => void {
  const { score = 'first', refusal = () => undefined, mostBinds = Number.POSITIVE_INFINITY } = options
  const room = createRoom()
  const pending = new Set<string>()
  let isSettled = false

  function seePod(key: string): void {
    const pod = objects.get('pod', key)
    if (pod?.nodeName === undefined) room.free(key)
    else room.take(key, pod.nodeName, pod.requests)
    if (pod === undefined || pod.nodeName !== undefined || pod.deletedAt !== undefined) pending.delete(key)
    else pending.add(key)
  }

  for (const { key } of objects.all('pod')) seePod(key)
  objects.listen(({ kind, key }) => {
    if (kind === 'pod') seePod(key)
    if (kind === 'pod' || kind === 'node') isSettled = false
  })

  return () => {
    if (isSettled) return
    isSettled = true
    if (pending.size === 0) return
    const nodes = objects.all('node').filter(({ taints }) => taints.every(({ effect }) => effect === 'PreferNoSchedule'))
    const admits = (node: Node, pod: Pod): boolean =>
      isFor(node, pod) && room.fits(node, pod.requests) && isApart(node, pod, () => objects.all('pod'))
    const find = score === 'first' ? createFirstFit(nodes, admits) : createLeastAllocated(nodes, admits, room)
    const waiting = [...pending].sort().flatMap((key) => objects.get('pod', key) ?? [])
    let binds = 0
    for (const pod of waiting.sort((first, second) => first.createdAt - second.createdAt)) {
      const refused = refusal(pod)
      const node = refused === undefined ? find(pod) : undefined
      if (refused !== undefined) objects.schedulerMessages.set(pod.uid, refused)
      if (node !== undefined && binds === mostBinds) break
      if (node !== undefined) {
        objects.bind(pod.key, node.name)
        binds++
      } else if (pod.unschedulableSince === undefined) objects.put('pod', { ...pod, unschedulableSince: clock.now() })
    }
  }
}

type Admits = (node: Node, pod: Pod) => boolean

/** Returns the first node for a pod. Room only shrinks, so pods of one shape never go back to a node that has refused one of them. */
function createFirstFit(nodes: readonly Node[], admits: Admits): (pod: Pod) => Node | undefined {
  const tried = new Map<string, number>()
  return (pod) => {
    const shape = JSON.stringify([pod.requests, pod.nodeSelector, pod.podAntiAffinity.required])
    let at = tried.get(shape) ?? 0
    for (let node = nodes[at]; node !== undefined && !admits(node, pod); node = nodes[at]) at++
    tried.set(shape, at)
    return nodes[at]
  }
}

/** Returns the node with the best score: nodes without a PreferNoSchedule taint, and nodes of which the least is requested. */
function createLeastAllocated(nodes: readonly Node[], admits: Admits, room: Room): (pod: Pod) => Node | undefined {
  return (pod) => {
    const scored = nodes.filter((node) => admits(node, pod)).map((node) => ({ node, score: scoreOf(node, pod, room) }))
    return scored.reduce<(typeof scored)[number] | undefined>(
      (best, each) => (best === undefined || each.score > best.score ? each : best),
      undefined,
    )?.node
  }
}

function scoreOf(node: Node, { requests }: Pod, room: Room): number {
  const free = Object.entries(requests)
    .slice(0, 2)
    .map(([resource, amount]) => (room.left(node, resource) - amount) / (node.allocatable[resource] ?? 1))
  const allocation = free.reduce((sum, share) => sum + share, 0) / Math.max(1, free.length)
  return 100 * (allocation + (node.taints.length === 0 ? TAINT_WEIGHT : 0))
}

function isFor({ meta: { labels } }: Node, { nodeSelector }: Pod): boolean {
  return Object.entries(nodeSelector).every(([key, value]) => labels[key] === value)
}

function isApart({ name }: Node, { podAntiAffinity: { required } }: Pod, pods: () => readonly Pod[]): boolean {
  const selectors = required.flatMap(({ topologyKey, selector }) => (topologyKey === LABEL.hostname ? [selector] : []))
  if (selectors.length === 0) return true
  const there = pods().filter(({ nodeName }) => nodeName === name)
  return !selectors.some((selector) => there.some(({ labels }) => selects(selector, labels)))
}

type Room = {
  take(pod: string, node: string, wanted: Resources): void
  free(pod: string): void
  left(node: Node, resource: string): number
  fits(node: Node, wanted: Resources): boolean
}

/** What the pods on each node request. */
function createRoom(): Room {
  const taken = new Map<string, { readonly node: string; readonly wanted: Resources }>()
  const used = new Map<string, Map<string, number>>()

  function add(node: string, wanted: Resources, sign: 1 | -1): void {
    const own = used.get(node) ?? new Map<string, number>()
    used.set(node, own)
    for (const [resource, amount] of Object.entries(wanted)) own.set(resource, (own.get(resource) ?? 0) + sign * amount)
  }

  function free(pod: string): void {
    const known = taken.get(pod)
    if (known !== undefined && taken.delete(pod)) add(known.node, known.wanted, -1)
  }

  function left({ name, allocatable }: Node, resource: string): number {
    return (allocatable[resource] ?? 0) - (used.get(name)?.get(resource) ?? 0)
  }

  return {
    free,
    left,
    take(pod, node, wanted) {
      free(pod)
      taken.set(pod, { node, wanted })
      add(node, wanted, 1)
    },
    fits: (node, wanted) => Object.entries(wanted).every(([resource, amount]) => amount <= left(node, resource)),
  }
}
