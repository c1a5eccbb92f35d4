/** Narrows replacement claims to sizes that together cost less than the machines that go. */
import { type Bin, cheapestOf } from '../../scheduling/model/nodes/bin.ts'
import { type Narrowed, narrowByPrice, type PriceRule } from '../../scheduling/relocation/replacement.ts'

/**
 * Each claim may cost as much as its cheapest size and an equal share of the saving. If a claim is left without sizes, the result is that of the
 * first such claim.
 */
export function narrowAll(bins: readonly Bin[], { below, ...rule }: PriceRule): Narrowed {
  const cheapest = bins.map((bin) => cheapestOf(bin)?.offering.price ?? Number.POSITIVE_INFINITY)
  const share = (below - cheapest.reduce((sum, each) => sum + each, 0)) / bins.length
  if (!(share > 0)) return { kind: 'dear' }
  for (const [at, bin] of bins.entries()) {
    const narrowed = narrowByPrice(bin, { ...rule, below: (cheapest[at] ?? 0) + share })
    if (narrowed.kind !== 'narrowed') return narrowed
  }
  return { kind: 'narrowed' }
}
