// Measures the memory of a cluster that stays loaded while everything in it is replaced again and again.
// npm run bench:soak -- [--days 30] [--changes 1000000] [--json]
// Each virtual day, every node is replaced by a node with a new name, and deployments are rolled out with new labels and requests. What a loaded
// cluster keeps of deleted objects shows as growth.
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClusterState } from '../../shared/flows/state/clusterState.ts'
import type { Change } from '../../shared/model/change.ts'
import { type Figure, printFigures } from '../figures.ts'
import { createChurn, type Unnumbered } from './churn.ts'

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '30' },
    changes: { type: 'string', default: '1000000' },
    json: { type: 'boolean', default: false },
  },
})
/** The growth of a day shows only after weeks. */
const GATED_DAYS = 30
const days = Number(values.days)
const perDay = Number(values.changes) / days
const churn = createChurn()
const state = createClusterState()
let seq = 0
let applied = 0

apply(churn.load())
const memory: number[] = []
for (let day = 0; day < days; day++) {
  for (let today = 0; today < perDay; ) {
    const changes = churn.next()
    apply(changes)
    state.decide(churn.context(applied))
    today += changes.length
    // Lets the garbage collector run, as between two looks.
    await setImmediate()
  }
  memory.push(await heapMebibytes())
  if (!values.json) console.log(`day ${day + 1}: ${memory[day]?.toFixed(1)} MiB after ${applied} changes`)
}
const [first = Number.NaN] = memory
const growth: Figure = {
  what: `growth of the heap from day 1 to day ${days}`,
  value: ((memory.at(-1) ?? Number.NaN) / first - 1) * 100,
  unit: '%',
  gate: 10,
  aim: 2,
}
printFigures([growth, { what: 'heap after day 1', value: first, unit: 'MiB', gate: 200, aim: 100 }], values.json, days >= GATED_DAYS)

function apply(changes: readonly Unnumbered[]): void {
  const numbered = changes.map((change): Change => ({ ...change, seq: ++seq }) as Change)
  applied += changes.length
  const isFirst = seq === changes.length
  if (isFirst) state.apply({ term: 1, receivedAt: churn.now(), body: { kind: 'snapshot', seq, part: 0, parts: 1, changes: numbered } })
  else state.apply({ term: 1, receivedAt: churn.now(), body: { kind: 'changes', changes: numbered } })
}

async function heapMebibytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await setImmediate()
  }
  return process.memoryUsage().heapUsed / 2 ** 20
}
