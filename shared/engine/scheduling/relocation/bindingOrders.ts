/** Ways in which kube-scheduler may bind the same pods. It takes pods of a higher priority first, and knows no other order of the plan. */
import { remembered } from '../../../base/caches.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { PodClass, RelaxedPod } from '../model/pods/constraint.ts'
import type { Amounts } from '../model/quantities/amounts.ts'

export type PodToBind = { readonly podClass: PodClass; readonly relaxedPod: RelaxedPod }

export type BindingOrder = {
  readonly sort: (pods: readonly PodToBind[]) => readonly PodToBind[]
  /** What plugins that look at more than CPU and memory add to the worth of a node, at most `most`. `pod` and `node`: numbers of both. */
  readonly more: (pod: number, node: number) => number
  readonly most: number
}

/** Random orders for many pods and for few pods, and the number of pods that are bound in all random orders of one kind if that lies between. */
const LEAST_RANDOM = 4
const MOST_RANDOM = 16
const BOUND_AT_RANDOM = 160
/** The scheduler chooses at random among nodes of equal worth. */
const TIE = 1e-6
/** As much as other plugins of the scheduler may add to the worth of a node, in half of the random orders. */
const OTHER_PLUGINS = 0.1

/**
 * By each resource and by all, the smallest pods first leave the least room for large pods, and the largest first the least room for pods with other
 * needs. Random orders show what else pods do to each other.
 */
export function bindingOrders(scored: readonly number[], pods: readonly PodToBind[]): readonly BindingOrder[] {
  const count = Math.min(MOST_RANDOM, Math.max(LEAST_RANDOM, Math.ceil(BOUND_AT_RANDOM / Math.max(1, pods.length))))
  const sizes: readonly SizeOf[] = [...scored.map(amountOn), sizeAmong(pods, scored)]
  return [
    ...sizes.flatMap((sizeOf, at) => [1, -1].map((sign) => ({ sort: sorting((pod) => sign * sizeOf(pod)), ...noisy(TIE, at) }))),
    ...Array.from({ length: count }, (_, seed) => ({
      sort: sorting((_pod, at) => mixed(at, seed + 1)),
      ...noisy(seed % 2 === 0 ? TIE : OTHER_PLUGINS, seed + 1),
    })),
  ]
}

type SizeOf = (pod: PodToBind) => number

function amountOn(axis: number): SizeOf {
  return ({ podClass }) => podClass.amounts[axis] ?? 0
}

/** The size on all axes. The largest amount among the pods on an axis is 1. */
function sizeAmong(pods: readonly PodToBind[], axes: readonly number[]): SizeOf {
  const largest = axes.map((axis) => pods.reduce((most, pod) => Math.max(most, amountOn(axis)(pod)), 1))
  return (pod) => axes.reduce((sum, axis, at) => sum + amountOn(axis)(pod) / (largest[at] ?? 1), 0)
}

function sorting(rankOf: (pod: PodToBind, at: number) => number): BindingOrder['sort'] {
  return (pods) => {
    const ranked = pods.map((pod, at) => ({ pod, rank: rankOf(pod, at) }))
    return ranked.sort((one, other) => priorityOf(other.pod) - priorityOf(one.pod) || one.rank - other.rank).map(({ pod }) => pod)
  }
}

function noisy(most: number, seed: number): Pick<BindingOrder, 'more' | 'most'> {
  return { more: (pod, node) => (most * mixed(pod * 1009 + node, seed)) / 2 ** 32, most }
}

function priorityOf({ podClass }: PodToBind): number {
  return podClass.pod.priority
}

/** A number below 2^32 that looks random. The same place and seed give the same number. */
function mixed(at: number, seed: number): number {
  const first = Math.imul(at + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b)
  return Math.imul(first ^ (first >>> 15), 0xc2b2ae35) >>> 0
}

/** A node that may get pods. `at`: its number. `pods`: the number of pods of the moves that it got. `share`: its free share after that. */
export type Place = { readonly node: ExistingNode; readonly at: number; readonly whole: Amounts; pods: number; share: number }

/** Reports whether the node goes. Its free amounts are negative then. */
export function isClosed({ node: { free } }: Pick<Place, 'node'>): boolean {
  return (free[0] ?? 0) < 0
}

/** The domain of pods that may go to any domain. */
export const ANYWHERE = ''

/** The nodes by their value of a label. Undefined stands for nodes without the label. If no label is asked for, all nodes are `ANYWHERE`. */
export type NodesByDomain = (key: string | undefined) => ReadonlyMap<string | undefined, readonly ExistingNode[]>

/** Sorts the nodes once for each label. */
export function nodesByDomain(nodes: readonly ExistingNode[]): NodesByDomain {
  return remembered((key) => Map.groupBy(nodes, (node) => (key === undefined ? ANYWHERE : node.domainOf(key))))
}
