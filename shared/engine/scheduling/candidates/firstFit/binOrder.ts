import type { DomainFilter } from '../../model/neighbours/domainFilters.ts'
import type { Bin } from '../../model/nodes/bin.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import { createQueue, type LazyQueue } from './lazyQueue.ts'
import type { No } from './place.ts'

/**
 * Open claims, those with the fewest pods first. Of equals, one that just gained a pod comes before those that were there, and a new one
 * comes last: what Karpenter's repeated stable sort amounts to.
 */
export interface BinOrder {
  /** Call when the bin was opened, and after each pod. */
  moved(bin: Bin): void
  /** The first bin that the test takes. One that refuses who asks for good is not shown to him again. */
  find(asker: number, rules: readonly DomainFilter[], test: (bin: Bin) => 'fits' | No): Bin | undefined
}

/** Ranks are whole numbers: how many pods a bin has weighs more than when the last one came. */
const PER_POD = 2 ** 33
const LATEST = 2 ** 32

export function createBinOrder(bins: readonly Bin[]): BinOrder {
  /** By number of the bin: grows with every pod. */
  const ranks: number[] = []
  const views = new Map<number, View>()
  const rankOf = (id: number): number => ranks[id] ?? 0
  let moves = 0

  function moved({ id, podCount }: Bin): void {
    moves++
    ranks[id] = podCount * PER_POD + (podCount === 1 ? moves : LATEST - moves)
  }

  for (const bin of bins) moved(bin)

  function viewOf(asker: number): View {
    const known = views.get(asker)
    if (known !== undefined) return known
    const view: View = { queue: createQueue(rankOf), parked: new Map() }
    views.set(asker, view)
    return view
  }

  return {
    moved,
    find(asker, rules, test) {
      const view = viewOf(asker)
      const { queue } = view
      queue.extend(bins.length)
      for (const rule of rules) unpark(view, rule)
      const later: number[] = []
      let found: Bin | undefined
      for (let id = queue.first(); id >= 0; id = queue.first()) {
        const bin = bins[id]
        const answer = bin === undefined ? 'never' : test(bin)
        if (answer === 'fits') {
          found = bin
          break
        }
        queue.dropFirst()
        if (answer === 'notNow' && bin !== undefined && !park(view, bin, rules)) later.push(id)
      }
      for (const id of later) queue.add(id)
      return found
    },
  }
}

/** Bins as one asker sees them: those to be asked, and those in domains that a rule does not allow now. */
type View = { readonly queue: LazyQueue; readonly parked: Map<TopologyGroup, Map<string, number[]>> }

/** Bins in domains that have become allowed are asked again. */
function unpark({ queue, parked }: View, { group, allows }: DomainFilter): void {
  const ofGroup = parked.get(group)
  if (ofGroup === undefined) return
  for (const [domain, ids] of ofGroup) {
    if (!allows(domain)) continue
    for (const id of ids) queue.add(id)
    ofGroup.delete(domain)
  }
}

/** While a rule does not allow its domain a bin need not be asked. False: something else stands in the way. */
function park({ parked }: View, bin: Bin, rules: readonly DomainFilter[]): boolean {
  for (const { group, allows } of rules) {
    const domain = group.isHost ? undefined : bin.domainOf(group.key)
    if (domain === undefined || allows(domain)) continue
    const ofGroup = parked.get(group) ?? new Map<string, number[]>()
    parked.set(group, ofGroup)
    const ids = ofGroup.get(domain)
    if (ids === undefined) ofGroup.set(domain, [bin.id])
    else ids.push(bin.id)
    return true
  }
  return false
}
