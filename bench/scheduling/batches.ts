// Small batches of pods: our bill of the bill that an exact search finds, of first fit's bill, and of the bill with fewer sizes. Prints a table.
// Run by main.ts: npm run bench:scheduling -- --only batches [--seeds 200]
import { existsSync } from 'node:fs'
import Table from 'cli-table3'
import { largestOf } from '../../shared/base/lists.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { problemOf } from './bounds/boundProblem.ts'
import { exactOptimum } from './bounds/exactOptimum.ts'
import { loadSolver } from './bounds/linearProgram.ts'
import { AZURE_SIZES, azureTypes, isGeneralPurpose } from './catalogs/azureTypes.ts'
import { outcomeOf, waitingPods } from './outcome.ts'
import { loadStatePlanner } from './planner.ts'
import { createRandom } from './random.ts'
import { BATCH_SIZES, batchOf, CAPACITY_TYPES, type CapacityType, clusterFor } from './workloads/smallBatches.ts'

/** Subsets of the sizes that each batch is planned with. */
const SUBSETS = 3
/** The share of the sizes in a subset, drawn between these. */
const LEAST_SHARE = 0.1
const ALIKE = 1e-9

/** What one batch costs, in US dollars an hour. `fewer`: with each subset of the sizes with which every pod has a place. */
type Batch = {
  readonly bill: number
  readonly exact: number
  readonly firstFit: number
  readonly fewer: readonly number[]
  readonly nodes: number
  readonly ms: number
}

export async function benchBatches(seeds: number): Promise<void> {
  if (!existsSync(AZURE_SIZES)) {
    console.log(`batches: skipped: ${AZURE_SIZES} is not there`)
    return
  }
  const highs = await loadSolver()
  const types = azureTypes(isGeneralPurpose)
  const table = new Table({
    head: [
      'batches',
      'seeds',
      '$/h',
      'above exact: mean',
      'worst',
      'of first fit',
      'worst',
      'of any subset: worst',
      'above',
      'nodes',
      'median ms',
    ],
    style: { head: [], border: [] },
  })
  for (const count of BATCH_SIZES) {
    for (const capacityType of CAPACITY_TYPES) {
      const batches = Array.from({ length: seeds }, (_, seed): Batch => {
        const pending = clusterFor(batchOf(count, seed + 1), types, capacityType)
        const figures = figuresOf(pending, types, count, seed, capacityType)
        return { ...figures, exact: exactOptimum(highs, problemOf(pending, waitingPods(pending)), figures.bill) }
      })
      table.push(lineOf(`${count} pods, ${capacityType}`, batches))
    }
  }
  console.log(table.toString())
}

function figuresOf(pending: ClusterSnapshot, types: readonly InstanceType[], count: number, seed: number, capacityType: CapacityType) {
  const startedAt = performance.now()
  const { bill, nodes } = billOf(pending)
  const ms = performance.now() - startedAt
  const random = createRandom(seed * 31 + count)
  const fewer = Array.from({ length: SUBSETS }, () => {
    const share = LEAST_SHARE + random.next() * (1 - LEAST_SHARE)
    return billOf(
      clusterFor(
        batchOf(count, seed + 1),
        types.filter(() => random.chance(share)),
        capacityType,
      ),
    )
  })
  return {
    bill,
    nodes,
    ms,
    firstFit: billOf({ ...pending, settings: { ...pending.settings, placement: 'firstFit' } }).bill,
    fewer: fewer.filter(({ unplaced }) => unplaced === 0).map((each) => each.bill),
  }
}

function billOf(snapshot: ClusterSnapshot): { readonly bill: number; readonly nodes: number; readonly unplaced: number } {
  const { price, nodes, unplaced } = outcomeOf(snapshot, loadStatePlanner(snapshot, 'once').decide([]).decision)
  return { bill: price, nodes, unplaced }
}

function lineOf(name: string, batches: readonly Batch[]): string[] {
  const above = batches.map(({ bill, exact }) => bill / exact - 1)
  const compared = batches.flatMap(({ bill, fewer }) => fewer.map((each) => bill / each))
  const total = (of: (batch: Batch) => number): number => batches.reduce((sum, batch) => sum + of(batch), 0)
  const percent = (share: number): string => `${(100 * share).toFixed(2)} %`
  const times = [...batches.map(({ ms }) => ms)].sort((one, other) => one - other)
  return [
    ...[name, String(batches.length), total(({ bill }) => bill).toFixed(3)],
    ...[percent(total(({ bill }) => bill) / total(({ exact }) => exact) - 1), percent(largestOf(above))],
    ...[(total(({ bill }) => bill) / total(({ firstFit }) => firstFit)).toFixed(3)],
    largestOf(batches.map(({ bill, firstFit }) => bill / firstFit)).toFixed(3),
    ...[largestOf(compared).toFixed(3), percent(compared.filter((ratio) => ratio > 1 + ALIKE).length / Math.max(1, compared.length))],
    ...[String(total(({ nodes }) => nodes)), (times[Math.floor(times.length / 2)] ?? 0).toFixed(1)],
  ]
}
