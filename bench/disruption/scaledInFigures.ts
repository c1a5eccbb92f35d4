// Figures of clusters that were scaled in. The end price and the number of moved pods are divided by the same figures of Karpenter's methods.
import { type ScaledInShape, scaledIn } from '../../test/generators/scaledIn.ts'
import { settleByOracle } from '../../test/oracle/consolidation/settle.ts'
import { priceOfAll } from '../../test/oracle/consolidation/standing.ts'
import { movedPods, settleByEngine } from '../../test/properties/settled.ts'
import type { Figure } from '../figures.ts'

/** The oracle takes minutes for one of the largest clusters. With more clusters than these, the clusters have up to 299 nodes. */
const FEW = 16
const MOST_NODES = { few: 180, many: 299 }

/** Gates are for the first four clusters: the figures of others lie close by. */
const KINDS: readonly {
  readonly name: string
  readonly shape: ScaledInShape
  readonly mean: number
  readonly worst: number
  readonly moved: number
}[] = [
  { name: 'on demand', shape: {}, mean: 1, worst: 1.01, moved: 1.6 },
  { name: 'any capacity type', shape: { isAnyType: true }, mean: 1, worst: 1.03, moved: 2.5 },
]

/** Decides about so many clusters of each kind, to the end. */
export function scaledInFigures(clusters: number): readonly Figure[] {
  const most = clusters > FEW ? MOST_NODES.many : MOST_NODES.few
  return KINDS.flatMap(({ name, shape, mean, worst, moved }) => {
    const compared = Array.from({ length: clusters }, (_, at) => compare(at + 1, { ...shape, most }))
    const prices = compared.map(({ price }) => price)
    const [ours, theirs] = [sumOf(compared.map((each) => each.moved)), sumOf(compared.map((each) => each.movedByOracle))]
    const of = `${clusters} clusters that were scaled in, ${name}:`
    return [
      { what: `${of} end price, of Karpenter's methods`, value: sumOf(prices) / clusters, unit: '', gate: mean, aim: 0.98 },
      { what: `${of} worst end price, of Karpenter's methods`, value: Math.max(...prices), unit: '', gate: worst, aim: 1 },
      { what: `${of} pods moved, of Karpenter's methods`, value: ours / theirs, unit: '', gate: moved, aim: 1 },
    ]
  })
}

function compare(seed: number, shape: ScaledInShape) {
  const given = scaledIn(seed, shape)
  const engine = settleByEngine(given)
  const { snapshot, commands } = settleByOracle(given)
  const movedByOracle = sumOf(commands.flatMap(({ candidates }) => candidates.map(({ pods }) => pods.length)))
  return { price: priceOfAll(engine.snapshot) / priceOfAll(snapshot), moved: movedPods(given, engine).moved, movedByOracle }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
