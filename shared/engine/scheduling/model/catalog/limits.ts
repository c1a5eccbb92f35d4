/** What NodePool limits leave. `nodes` counts machines. Every other name counts capacity. */
import { ownValue, setOwnValue } from '../../../../base/values.ts'
import { type NodePoolName, nodePoolName } from '../../../../model/ids.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { NodeClaimDraft, NodeClaimSpec } from '../../../../model/nodeClaim.ts'
import type { NodePool } from '../../../../model/nodePool.ts'
import { MOST_REQUIREMENTS, toSpecs } from '../../../../model/requirementSpecs.ts'
import { has, type Requirements, requirementsFrom } from '../../../../model/requirements.ts'
import { add, maxOf, NO_RESOURCES, type Resources } from '../../../../model/resources.ts'
import { capacityOf, labelsOf, type StateNode } from '../../../cluster/stateNode.ts'
import { byAmounts } from '../../../offering/shortSizes.ts'
import type { TypesOf } from '../../../overlay/overlaidTypes.ts'
import { SIMULATED_LABELS } from './template.ts'

export type Limits = {
  /** What the limits still allow, by resource. Undefined if there are no limits. */
  readonly left: Resources | undefined
  take(used: Resources): void
  /** Returns a function that restores the present state of the limits, whatever is taken or given back until then. */
  mark(): () => void
}

export function limitsOf(pool: NodePool, used: Resources): Limits {
  if (Object.keys(pool.limits).length === 0) return { left: undefined, take: () => undefined, mark: () => () => undefined }
  return limitsFrom(Object.fromEntries(Object.entries(pool.limits).map(([name, limit]) => [name, limit - (ownValue(used, name) ?? 0)])))
}

/** A limit on the number of machines, whatever their capacity. */
export function limitOfMachines(count: number): Limits {
  return limitsFrom({ nodes: count })
}

function limitsFrom(left: { [name: string]: number }): Limits {
  return {
    left,
    take: (more) => {
      for (const name of Object.keys(left)) setOwnValue(left, name, (ownValue(left, name) ?? 0) - (ownValue(more, name) ?? 0))
    },
    mark: () => {
      const saved = { ...left }
      return () => void Object.assign(left, saved)
    },
  }
}

/** Combines two limits. Both must hold. */
export function limitsTogether(first: Limits, second: Limits): Limits {
  return {
    get left() {
      return lesserOfEach(first.left, second.left)
    },
    take: (used) => {
      first.take(used)
      second.take(used)
    },
    mark: () => markAll([first, second]),
  }
}

/** Returns a function that restores the present state of all these limits. */
export function markAll(limits: readonly Limits[]): () => void {
  const marks = limits.map((each) => each.mark())
  return () => {
    for (const restore of marks) restore()
  }
}

/** The lesser amount of each resource. A resource that only one of them limits keeps that limit. */
function lesserOfEach(first: Resources | undefined, second: Resources | undefined): Resources | undefined {
  if (first === undefined || second === undefined) return first ?? second
  const least: { [name: string]: number } = { ...first }
  for (const [name, amount] of Object.entries(second)) setOwnValue(least, name, Math.min(ownValue(least, name) ?? amount, amount))
  return least
}

/** The amount of the limit `name` that one machine of this capacity takes. */
export function needOf(capacity: Resources, name: string): number {
  return name === 'nodes' ? 1 : (ownValue(capacity, name) ?? 0)
}

/** Reports whether a machine of this capacity stays within what is left of every limited resource. */
export function isWithin(capacity: Resources, left: Resources | undefined): boolean {
  if (left === undefined) return true
  for (const name in left) if (needOf(capacity, name) > (ownValue(left, name) ?? 0)) return false
  return true
}

/** The most capacity that a machine may have if it was counted with this capacity. Undefined if the pool has no limits. */
export function ceilingOf({ left }: Limits, capacity: Resources): Resources | undefined {
  if (left === undefined) return undefined
  return Object.fromEntries(Object.keys(left).map((name) => [name, needOf(capacity, name)]))
}

/** The amounts that one machine of this capacity takes of limits. */
export function machineOf(capacity: Resources): Resources {
  return { ...capacity, nodes: 1 }
}

/** What one machine or claim takes of the limits of its pool. */
export type Usage = { readonly pool: NodePoolName; readonly capacity: Resources }

/** What the machine or claim takes, or may come to take. Undefined if it is being deleted or belongs to no pool. */
export function usageOf(machine: StateNode, typesOf: TypesOf): Usage | undefined {
  const pool = labelsOf(machine)[LABEL.nodePool]
  if (machine.isDeleting || pool === undefined) return undefined
  return { pool: nodePoolName(pool), capacity: machineOf(knownCapacity(machine, pool, typesOf)) }
}

export function usageOfDraft({ nodePool, spec }: NodeClaimDraft, typesOf: TypesOf): Usage {
  return { pool: nodePool, capacity: machineOf(worstCapacity(nodePool, spec, typesOf)) }
}

/** What the machines and claims of each pool take together. Updated as they come and go. */
export interface UsageByPool {
  add(usage: Usage): void
  remove(usage: Usage): void
  of(pool: NodePoolName): Resources
}

export function createUsageByPool(): UsageByPool {
  const usage = new Map<NodePoolName, Resources>()
  return {
    add: ({ pool, capacity }) => void usage.set(pool, add(usage.get(pool) ?? NO_RESOURCES, capacity)),
    remove: ({ pool, capacity }) => void usage.set(pool, add(usage.get(pool) ?? NO_RESOURCES, negative(capacity))),
    of: (pool) => usage.get(pool) ?? NO_RESOURCES,
  }
}

export function negative(resources: Resources): Resources {
  return Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, -amount]))
}

function knownCapacity(machine: StateNode, pool: string | undefined, typesOf: TypesOf): Resources {
  const capacity = capacityOf(machine)
  return Object.keys(capacity).length > 0 || machine.claim === undefined ? capacity : worstCapacity(pool, machine.claim.spec, typesOf)
}

/** The capacity of the largest sizes that the claim names. A claim that is not launched may still become any of them. */
function worstCapacity(pool: string | undefined, spec: NodeClaimSpec, typesOf: TypesOf): Resources {
  const named = requirementsFrom(spec.requirements).get(LABEL.instanceType)
  const types = typesOf(pool, spec.nodeClassRef.name)
    .filter((type) => named === undefined || has(named, type.name))
    .flatMap(byAmounts)
  return types.map((type) => type.capacity).reduce(maxOf, NO_RESOURCES)
}

/** A claim names these, whether or not something asks for them. */
const ALWAYS_NAMED = [LABEL.instanceType, LABEL.zone, LABEL.capacityType]
/** A requirement becomes at most five entries, so shorter lists are not counted. */
const SHORT = Math.floor(MOST_REQUIREMENTS / 5) - ALWAYS_NAMED.length

/**
 * Reports whether a claim with these requirements would name more than the API server accepts. Pods that ask for too many together do not share a
 * claim.
 */
export function isTooLong(requirements: Requirements): boolean {
  if (requirements.size <= SHORT) return false
  const written = new Map([...requirements].filter(([key]) => !Object.hasOwn(SIMULATED_LABELS, key)))
  const added = ALWAYS_NAMED.filter((key) => !written.has(key)).length
  return toSpecs(written).length + added > MOST_REQUIREMENTS
}
