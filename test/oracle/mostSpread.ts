/**
 * How many pods of one Deployment can have a place at all, by a search of all orders in which they can be bound. It knows hard spreads only, and
 * takes domains from what the pools can buy. Pods of a Deployment differ in nothing, so counts by domain are all that a state has.
 */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { CAPACITY, ZONE } from '../generators/words.ts'

/** The domain of each spread, in the order of the spreads. */
type Cell = readonly string[]

export function mostSpread(given: ClusterSnapshot, app: string): number {
  const own = given.objects.pod.filter(({ labels }) => labels['app'] === app)
  const spreads = own[0]?.topologySpread ?? []
  const cells = cellsOf(
    given,
    spreads.map(({ topologyKey }) => topologyKey),
  )
  const domains = spreads.map((_, at) => [...new Set(cells.map((cell) => cell[at] ?? ''))].sort())
  let states = new Map([[JSON.stringify(domains.map((each) => each.map(() => 0))), domains.map((each) => each.map(() => 0))]])
  for (let bound = 0; bound < own.length; bound++) {
    const reached = [...states.values()].flatMap((state) => cells.map((cell) => withOneMore(state, cell, domains, spreads)))
    const next = new Map(reached.filter((counts) => counts !== undefined).map((counts) => [JSON.stringify(counts), counts]))
    if (next.size === 0) return bound
    states = next
  }
  return own.length
}

/** Undefined if a spread does not let one more pod go there. */
function withOneMore(
  state: readonly (readonly number[])[],
  cell: Cell,
  domains: readonly (readonly string[])[],
  spreads: Pod['topologySpread'],
): number[][] | undefined {
  const counts = state.map((each) => [...each])
  for (const [at, { maxSkew }] of spreads.entries()) {
    const own = counts[at] ?? []
    const domain = domains[at]?.indexOf(cell[at] ?? '') ?? -1
    const count = (own[domain] ?? 0) + 1
    if (count - Math.min(...own) > maxSkew) return undefined
    own[domain] = count
  }
  return counts
}

function cellsOf({ objects, instanceTypes }: ClusterSnapshot, keys: readonly string[]): readonly Cell[] {
  const sold = [...instanceTypes.values()].flat().flatMap(({ offerings }) => offerings.filter(({ available }) => available))
  const cells = new Map<string, Cell>()
  for (const pool of objects.nodePool)
    for (const { zone, capacityType } of sold) {
      if (!admits(pool, CAPACITY, capacityType) || !admits(pool, ZONE, zone)) continue
      const valuesOf = (key: string): readonly string[] => (key === ZONE ? [zone] : key === CAPACITY ? [capacityType] : labelOf(pool, key))
      for (const cell of combinations(keys.map(valuesOf))) cells.set(cell.join(' '), cell)
    }
  return [...cells.values()]
}

function admits({ template }: NodePool, key: string, value: string): boolean {
  return template.requirements.every((each) => each.key !== key || each.values.includes(value))
}

function labelOf({ template }: NodePool, key: string): readonly string[] {
  return template.requirements.find((each) => each.key === key)?.values ?? []
}

function combinations([first, ...others]: readonly (readonly string[])[]): readonly Cell[] {
  return first === undefined ? [[]] : first.flatMap((value) => combinations(others).map((rest) => [value, ...rest]))
}
