import Table from 'cli-table3'
import { GOALS, type JudgedGoal, judge, rowsOf } from './goals.ts'
import { costIn } from './planner.ts'
import { gapOf, type PartialRow } from './row.ts'

const PLAIN = { head: [], border: [] }
const NOTHING = '-'

export function printRows(rows: readonly PartialRow[]): void {
  const table = new Table({
    head: [
      ...['workload', 'runs', 'median ms', 'p99 ms', 'wall ms', 'plan ms', 'slowest', 'pods/s', 'pods', 'unplaced', 'nodes', '$/h'],
      ...['fluid', 'gap', 'config.', 'gap', 'checker', 'MiB loaded', 'MiB peak', 'cost/pod', 'ns/cost'],
    ],
    style: PLAIN,
  })
  for (const row of rows) table.push(row.runs === undefined ? noteLine(row) : cells(row))
  console.log(table.toString())
  for (const { name, note } of rows) if (note !== undefined) console.log(`${name}: ${note}`)
  for (const { name, problems = [] } of rows) for (const problem of problems.slice(0, 3)) console.log(`${name}: checker: ${problem}`)
}

/** Prints the goals for the workloads that were run. */
export function printGoals(rows: readonly PartialRow[]): void {
  const table = new Table({ head: ['workload', 'figure', 'measured', 'gate', 'of gate', '', 'aim', 'of aim', ''], style: PLAIN })
  for (const goal of GOALS) {
    const own = rowsOf(goal, rows)
    if (own.every(({ runs }) => runs === undefined)) continue
    const judged = judge(goal, own)
    table.push([
      ...[goal.workload, goal.figure, number(judged.measured)],
      ...[number(goal.gate), times(judged.gateRatio), word(judged, judged.isGateMet)],
      ...[number(goal.aim), times(judged.aimRatio), word(judged, judged.isAimMet)],
    ])
  }
  if (table.length > 0) console.log(table.toString())
}

function cells(row: PartialRow): string[] {
  const { name, runs, medianMs, p99Ms, podsPerSecond, pods, unplaced, nodes, price, fluid, configuration, slack } = row
  return [
    ...[
      name,
      number(runs),
      number(medianMs),
      number(p99Ms),
      number(row.wallMs),
      number(row.planMs),
      number(row.slowestMs),
      number(podsPerSecond),
      number(pods),
      number(unplaced),
      number(nodes),
    ],
    ...[
      number(price),
      number(fluid),
      share(gapOf(price, fluid)),
      `${number(configuration)}${configuration !== undefined && (slack ?? 1) > 0.001 ? '+' : ''}`,
    ],
    ...[share(gapOf(price, configuration)), checker(row), number(row.loadedMebibytes), number(row.peakMebibytes)],
    ...stepCells(row),
  ]
}

/**
 * Returns steps per pod, and nanoseconds per step. The latter should be similar for all workloads. If it is much higher, there is a loop whose steps
 * are not counted.
 */
function stepCells({ steps, pods, medianMs }: PartialRow): string[] {
  if (steps === undefined || pods === undefined || medianMs === undefined) return [NOTHING, NOTHING]
  const cost = costIn(steps)
  return [number(cost / pods), number((1e6 * medianMs) / cost)]
}

function noteLine({ name }: PartialRow): string[] {
  return [name, ...Array.from({ length: 20 }, () => NOTHING)]
}

function checker({ problems }: PartialRow): string {
  if (problems === undefined) return NOTHING
  return problems.length === 0 ? 'valid' : `${problems.length} found`
}

function word({ missing, measured }: JudgedGoal, isMet: boolean): string {
  if (missing > 0) return `not met: ${missing} pods have no place`
  if (measured === undefined) return 'not measured'
  return isMet ? 'met' : 'not met'
}

/** Prints a number with three significant digits. */
function number(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NOTHING
  return Number.isInteger(value) || Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

function times(ratio: number | undefined): string {
  return ratio === undefined ? NOTHING : `${Number(ratio.toPrecision(2))} x`
}

function share(gap: number | undefined): string {
  return gap === undefined ? NOTHING : `${(100 * gap).toFixed(1)} %`
}
