/** A NodePool as the machines it can make: what each of its claims carries, and the sizes that may serve. */

import { byKey, inOrder } from '../../../../base/lists.ts'
import { nodePoolHashAnnotations } from '../../../../model/driftHash.ts'
import type { ObjectKey } from '../../../../model/ids.ts'
import { allocatableOfType } from '../../../../model/instanceType.ts'
import { LABEL, type Labels } from '../../../../model/labels.ts'
import type { NodePool } from '../../../../model/nodePool.ts'
import type { HostPort } from '../../../../model/pod.ts'
import { intersectAll, type Requirements, requirementsFrom, requirementsFromLabels } from '../../../../model/requirements.ts'
import { NO_RESOURCES, type Resources, subtract, sum } from '../../../../model/resources.ts'
import { type Axes, type Bits, both, hasBit, membersOf } from '../quantities/amounts.ts'
import type { Catalog, CatalogType } from './catalog.ts'
import { type Daemon, daemonsOn } from './daemons.ts'

export type Template = {
  readonly id: number
  readonly pool: NodePool
  readonly catalog: Catalog
  readonly weight: number
  readonly labels: Labels
  readonly annotations: Labels
  /** The requirements and labels of the pool, and the labels that every registered node has. */
  readonly requirements: Requirements
  readonly hasMinValues: boolean
  /** The types that the pool admits, whether or not they can be bought now. */
  readonly types: Bits
  /** Offerings the pool admits. */
  readonly offerings: Bits
  /** The admitted offerings that a reservation pays for. Most pools have none. */
  readonly reserved: readonly number[]
  /** By position in the catalog. Undefined if the pool does not admit the type. */
  readonly sizes: readonly (InstanceTypeOption | undefined)[]
  /** The host ports that daemons take on some size. Most pools have none. */
  readonly daemonPorts: readonly HostPort[]
  /** Which sizes stay below a ceiling, by position in the catalog. A cache, filled when it is first asked. */
  readonly ceilings: WeakMap<Resources, Uint8Array>
}

/** An instance type as a machine of one pool. */
export type InstanceTypeOption = CatalogType & {
  /** The requests of the daemons that run on it. */
  readonly overhead: Resources
  readonly daemonPorts: readonly HostPort[]
  /** The DaemonSets that run on it. */
  readonly daemonSets: readonly ObjectKey[]
  /** What is left for pods, on the axes of the decision. */
  readonly free: Float64Array
  /** False if the daemons alone ask for more than the type has. */
  readonly isUsable: boolean
}

/** Labels for simulation only: pods and daemons that select registered nodes match them. They are never written to a claim. */
export const SIMULATED_LABELS: Labels = { [LABEL.registered]: 'true', [LABEL.initialized]: 'true' }

/** Heavier pools first. Pools of equal weight come in descending order of name, as in Karpenter. */
export const byPoolOrder = inOrder<NodePool>(
  (first, second) => (second.weight ?? 0) - (first.weight ?? 0),
  (first, second) => -byKey<NodePool>((each) => each.name)(first, second),
)

export type TemplateInput = { readonly catalog: Catalog; readonly daemons: readonly Daemon[]; readonly axes: Axes }

export function templateOf(pool: NodePool, id: number, input: TemplateInput): Template {
  const { catalog } = input
  const labels = labelsOfPool(pool)
  const requirements = requirementsOfPool(pool)
  let types: Bits | undefined
  let offerings = catalog.offeringsDefinedBy(requirements)
  for (const requirement of requirements.values()) {
    const left = catalog.typesFor(requirement)
    types = types === undefined ? left : both(types, left)
    offerings = both(offerings, catalog.offeringsFor(requirement))
  }
  const admitted = types ?? new Uint32Array()
  const sizes = sizesOf(pool, requirements, admitted, input)
  return {
    id,
    pool,
    catalog,
    weight: pool.weight ?? 0,
    labels,
    annotations: annotationsOfPool(pool),
    requirements,
    hasMinValues: [...requirements.values()].some((each) => each.minValues !== undefined),
    types: admitted,
    offerings,
    reserved: membersOf(offerings).filter((index) => catalog.offerings[index]?.offering.reservation !== undefined),
    sizes,
    daemonPorts: [...new Set(sizes.flatMap((size) => size?.daemonPorts ?? []))],
    ceilings: new WeakMap(),
  }
}

export function requirementsOfPool(pool: NodePool): Requirements {
  const fixed = { ...labelsOfPool(pool), ...SIMULATED_LABELS }
  return intersectAll(requirementsFrom(pool.template.requirements), requirementsFromLabels(fixed))
}

/** The labels of every claim of the pool. */
export function labelsOfPool({ name, template }: Pick<NodePool, 'name' | 'template'>): Labels {
  const { group, kind, name: className } = template.nodeClassRef
  return { ...template.labels, [LABEL.nodePool]: name, [`${group}/${kind.toLowerCase()}`]: className }
}

/** The annotations of every claim of the pool. The hash records what the pool asked for when the claim was made. */
export function annotationsOfPool(pool: Pick<NodePool, 'template'>): Labels {
  return { ...pool.template.annotations, ...nodePoolHashAnnotations(pool) }
}

function sizesOf(
  pool: NodePool,
  requirements: Requirements,
  admitted: Bits,
  { catalog, daemons, axes }: TemplateInput,
): readonly (InstanceTypeOption | undefined)[] {
  const landing = daemonsOn(daemons, requirements, pool.template.taints, catalog)
  const sizes: (InstanceTypeOption | undefined)[] = catalog.types.map(() => undefined)
  for (const index of membersOf(admitted)) {
    const known = catalog.types[index]
    if (known === undefined) continue
    const own = landing.filter(({ types }) => hasBit(types, index)).map(({ daemon }) => daemon)
    const overhead = own.length === 0 ? NO_RESOURCES : sum(own.map((daemon) => daemon.requests))
    const left = subtract(allocatableOfType(known.type), overhead)
    sizes[index] = {
      ...known,
      overhead,
      daemonPorts: own.flatMap((daemon) => daemon.hostPorts),
      daemonSets: own.map((daemon) => daemon.key),
      free: axes.freeOf(left, known.type.maxDataDisks),
      isUsable: Object.values(left).every((amount) => amount >= 0),
    }
  }
  return sizes
}
