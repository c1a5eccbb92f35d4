import { NO_RESOURCES } from '../../../model/resources.ts'
import { withSizes } from '../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import { type Bin, openBin, survivorsOf } from '../model/nodes/bin.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'

/** The ways in which `nodesOfBin` looks at a claim. */
export const WAYS_TO_JOIN = [0, 1, 2] as const

/**
 * The nodes that the claim may become, before any pod runs on them: one that has only what each possible size has, one of the cheapest size, and one of
 * the dearest size. A node of a single size may take pods that the first node may not, and a large node draws pods from other nodes.
 */
export function nodesOfBin(bin: Bin): readonly [ExistingNode, ExistingNode, ExistingNode] {
  const sizes = survivorsOf(bin)
  const least = nodeOf(bin, sizes)
  return sizes.length < 2 ? [least, least, least] : [least, nodeOf(bin, sizes.slice(0, 1)), nodeOf(bin, sizes.slice(-1))]
}

function nodeOf(given: Bin, sizes: readonly InstanceTypeOption[]): ExistingNode {
  const narrowedTemplate = withSizes(given.narrowedTemplate, sizes)
  const bin = openBin(given.id, { ...given, narrowedTemplate }, given.total.length)
  const [first, ...others] = sizes.map((size) => size.free)
  const free = others.reduce((least, each) => leastOf(least, each), first ?? given.total)
  return {
    id: 0,
    label: bin.name,
    name: bin.name,
    stage: 0,
    taints: narrowedTemplate.template.pool.template.taints,
    meets: (wanted) => bin.passes({ id: -1, required: [wanted], tolerations: undefined, asksName: false }),
    // Only compared between decisions, where a new node does not exist yet.
    left: NO_RESOURCES,
    free: Float64Array.from(free),
    freeFor: '',
    freeOn: () => free,
    ports: sizes.flatMap(({ daemonPorts }) => daemonPorts),
    mounted: [],
    accepted: new Map(),
    daemonsToCome: [],
    domainOf: (key) => bin.domainOf(key),
    domainsOf: (key) => bin.domainsOf(key),
    passes: (filter) => bin.passes(filter),
    countDaemons: given.countDaemons,
  }
}

function leastOf(first: Float64Array, second: Float64Array): Float64Array {
  return first.map((amount, axis) => Math.min(amount, second[axis] ?? amount))
}
