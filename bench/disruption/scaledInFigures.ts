// Figures of clusters that were scaled in. The end price and the number of moved pods are divided by the same figures of Karpenter's methods.
import { readFileSync, writeFileSync } from 'node:fs'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { type ScaledInShape, scaledIn } from '../../test/generators/scaledIn.ts'
import { settleByOracle } from '../../test/oracle/consolidation/settle.ts'
import { priceOfAll } from '../../test/oracle/consolidation/standing.ts'
import { movedPods, settleByEngine } from '../../test/properties/settled.ts'
import type { Figure } from '../figures.ts'
import { quantile } from '../quantiles.ts'
import { problemOf } from '../scheduling/bounds/boundProblem.ts'
import { fluidBound } from '../scheduling/bounds/fluidBound.ts'
import { loadSolver } from '../scheduling/bounds/linearProgram.ts'
import { withWaiting } from './convergenceFigures.ts'

type Range = { readonly gate: number; readonly aim: number }

/** Gates are for the first twenty clusters. */
const KINDS: readonly {
  readonly name: string
  readonly shape: ScaledInShape
  readonly price: Range
  readonly median: Range
  readonly worst: Range
  readonly moved: Range
}[] = [
  {
    name: 'on demand',
    shape: {},
    price: { gate: 1, aim: 0.98 },
    median: { gate: 1, aim: 0.98 },
    worst: { gate: 1.03, aim: 1 },
    moved: { gate: 1, aim: 1 },
  },
  {
    name: 'any capacity type',
    shape: { isAnyType: true },
    price: { gate: 0.92, aim: 0.98 },
    median: { gate: 0.92, aim: 0.98 },
    worst: { gate: 1.02, aim: 1 },
    moved: { gate: 1.6, aim: 1 },
  },
]

/** The clusters have 107 nodes at least. Larger ones than these take the oracle minutes each. */
const MOST_NODES = 180

/** What Karpenter's methods come to. `before` and `pods`: the price and the pods of the cluster that was given. */
type Greedy = { readonly seed: number; readonly before: number; readonly pods: number; readonly price: number; readonly moved: number }

const RECORD = new URL('greedy.json', import.meta.url)

/** Decides about so many clusters of each kind, to the end. `renew`: Karpenter's methods are played again and recorded. */
export async function scaledInFigures(clusters: number, renew: boolean): Promise<readonly Figure[]> {
  if (renew) writeRecord(clusters)
  const recorded = readRecord()
  const boundOf = await leastPrices()
  return KINDS.flatMap(({ name, shape, price, median, worst, moved }) => {
    const compared = Array.from({ length: clusters }, (_, at) => compare(at + 1, shape, recorded[name] ?? [], boundOf))
    const prices = compared.map((each) => each.price)
    const shares = compared.map((each) => each.moved / each.movedByOracle)
    const [ours, theirs] = [sumOf(compared.map((each) => each.moved)), sumOf(compared.map((each) => each.movedByOracle))]
    const of = `${clusters} clusters that were scaled in, ${name}:`
    return [
      { what: `${of} end price, of Karpenter's methods`, value: sumOf(prices) / clusters, unit: '', ...price },
      { what: `${of} median end price, of Karpenter's methods`, value: quantile(prices, 0.5), unit: '', ...median },
      { what: `${of} worst end price, of Karpenter's methods`, value: Math.max(...prices), unit: '', ...worst },
      { what: `${of} least end price, of Karpenter's methods`, value: sumOf(compared.map(({ bound }) => bound)) / clusters, unit: '' },
      { what: `${of} pods moved, of Karpenter's methods`, value: ours / theirs, unit: '', ...moved },
      { what: `${of} pods moved, median, of Karpenter's methods`, value: quantile(shares, 0.5), unit: '', ...moved },
      { what: `${of} pods moved, of those on nodes that are gone`, value: ours / sumOf(compared.map(({ once }) => once)), unit: '' },
    ]
  })
}

function compare(seed: number, shape: ScaledInShape, recorded: readonly Greedy[], boundOf: (given: ClusterSnapshot) => number) {
  const given = clusterOf(seed, shape)
  const known = recorded.find((each) => each.seed === seed)
  const greedy = known ?? greedyOf(seed, given)
  if (greedy.before !== priceOfAll(given) || greedy.pods !== given.objects.pod.length)
    throw new Error(`cluster ${seed} is not the recorded one; run it with --renew`)
  const engine = settleByEngine(given)
  const { moved, once } = movedPods(given, engine)
  const price = priceOfAll(engine.snapshot) / greedy.price
  return { price, bound: boundOf(given) / greedy.price, moved, once, movedByOracle: greedy.moved }
}

/** A node that is there costs as much as a new one at least, and has no more room. So all nodes may count as new. */
async function leastPrices(): Promise<(given: ClusterSnapshot) => number> {
  const highs = await loadSolver()
  return (given) => {
    const { objects } = withWaiting(given, given.objects.pod)
    return 1e6 * fluidBound(highs, problemOf({ ...given, objects }, objects.pod)).bound
  }
}

function clusterOf(seed: number, shape: ScaledInShape): ClusterSnapshot {
  return scaledIn(seed, { ...shape, most: MOST_NODES })
}

function greedyOf(seed: number, given: ClusterSnapshot): Greedy {
  const { snapshot, commands } = settleByOracle(given)
  const moved = sumOf(commands.flatMap(({ candidates }) => candidates.map(({ pods }) => pods.length)))
  return { seed, before: priceOfAll(given), pods: given.objects.pod.length, price: priceOfAll(snapshot), moved }
}

function readRecord(): Readonly<Record<string, readonly Greedy[]>> {
  return JSON.parse(readFileSync(RECORD, 'utf8'))
}

function writeRecord(clusters: number): void {
  const kinds = KINDS.map(({ name, shape }) => {
    const rows = Array.from({ length: clusters }, (_, at) => JSON.stringify(greedyOf(at + 1, clusterOf(at + 1, shape))))
    return `  ${JSON.stringify(name)}: [\n${rows.map((row) => `    ${row}`).join(',\n')}\n  ]`
  })
  writeFileSync(RECORD, `{\n${kinds.join(',\n')}\n}\n`)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
