import type { Highs } from 'highs'
import type { BoundProblem } from './boundProblem.ts'
import { bitOf, hasBit } from './classMask.ts'
import { entriesOf, solve } from './linearProgram.ts'
import { type Prices, validPrices } from './prices.ts'

export type Fluid = {
  /** US dollars an hour. */
  readonly bound: number
  /** Dual values of pods, by the resources that they request. */
  readonly prices: Prices
}

/** The linear programme has rows for this many of the largest groups of pods that keep apart. */
const MOST_GROUPS = 20

/**
 * Returns what the pods would cost if they were liquid: the cheapest nodes whose room adds up to the demand for each resource. There must be at least
 * as many nodes as the largest groups of pods that keep apart need. Classes of pods draw from the nodes that admit them.
 */
export function fluidBound(highs: Highs, problem: BoundProblem): Fluid {
  const { demand, supply } = problem
  const program = fluidProgram(problem)
  const solved = demand.shapes.length === 0 ? undefined : solve(highs, program)
  if (solved === undefined) return { bound: 0, prices: validPrices(problem, [], []) }
  const { axes, shapes } = demand
  const dual = (row: number): number => solved.duals[row] ?? 0
  const groupPrices = new Map(program.groups.map(({ group, most }, index) => [group, dual(program.groupRow + index) / most]))
  const shapePrices = shapes.map(
    ({ podClass, amounts, group }) =>
      amounts.reduce((sum, amount, axis) => sum + amount * dual(program.classRow + podClass * axes.length + axis), 0) +
      (group === undefined ? 0 : (groupPrices.get(group) ?? 0)),
  )
  const roomPrices = supply.existing.map(({ admits }) => axes.map((_, axis) => dual(program.heaps.indexOf(admits) * axes.length + axis)))
  return { bound: solved.objective, prices: validPrices(problem, shapePrices, roomPrices) }
}

/**
 * Returns the linear programme. The nodes that admit the same classes share one amount of room. Existing nodes are free, and each can be used at most
 * once.
 */
function fluidProgram({ demand, supply }: BoundProblem) {
  const { axes, classes, shapes } = demand
  const sources = [
    ...supply.kinds.map(({ price, free, admits }) => ({ column: { cost: price }, nodes: 1, free, admits })),
    ...supply.existing.map(({ nodes, free, admits }) => ({ column: { cost: 0, most: 1 }, nodes, free, admits })),
  ]
  const heaps = [...new Set(sources.map((source) => source.admits))]
  const draws = heaps
    .flatMap((admits, heap) => classes.flatMap((_, podClass) => (hasBit(admits, podClass) ? [{ heap, podClass }] : [])))
    .flatMap((each) => axes.map((_, axis) => ({ ...each, axis })))
    .map((each, index) => ({ ...each, column: sources.length + index }))
  const heapRows = heaps.flatMap((admits, heap) =>
    axes.map((_, axis) => {
      const room = sources.flatMap((source, column) => (source.admits === admits ? [[column, source.free[axis] ?? 0] as const] : []))
      const drawn = draws.flatMap((each) => (each.heap === heap && each.axis === axis ? [[each.column, -1] as const] : []))
      return { ...entriesOf([...room, ...drawn]), atLeast: 0 }
    }),
  )
  const classRows = classes.flatMap((_, podClass) =>
    axes.map((_axis, axis) => ({
      ...entriesOf(draws.flatMap((each) => (each.podClass === podClass && each.axis === axis ? [[each.column, 1] as const] : []))),
      atLeast: shapes.reduce((sum, each) => (each.podClass === podClass ? sum + each.count * (each.amounts[axis] ?? 0) : sum), 0),
    })),
  )
  const groups = largestGroups(demand)
  const groupRows = groups.map(({ needed, mask }) => ({
    ...entriesOf(sources.flatMap((source, column) => ((source.admits & mask) === 0n ? [] : [[column, source.nodes] as const]))),
    atLeast: needed,
  }))
  return {
    columns: [...sources.map(({ column }) => column), ...draws.map(() => ({ cost: 0 }))],
    rows: [...heapRows, ...classRows, ...groupRows],
    heaps,
    groups,
    classRow: heapRows.length,
    groupRow: heapRows.length + classRows.length,
  }
}

/** Returns the largest groups: how many nodes each needs, and the classes of its pods. */
function largestGroups({ groups, shapes }: BoundProblem['demand']) {
  return groups
    .map(({ most, count }, group) => ({
      group,
      most,
      needed: Math.ceil(count / most),
      mask: shapes.filter((shape) => shape.group === group).reduce((mask, { podClass }) => mask | bitOf(podClass), 0n),
    }))
    .sort((first, second) => second.needed - first.needed)
    .slice(0, MOST_GROUPS)
}
