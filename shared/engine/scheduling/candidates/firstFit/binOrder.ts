import type { DomainFilter } from '../../model/neighbours/domainFilters.ts'
import type { Bin } from '../../model/nodes/bin.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import type { No } from './place.ts'
import { createQueue, type LazyQueue } from './queues.ts'

/**
 * Open claims, those with the fewest pods first. Among claims with equally many pods, a claim that just gained a pod comes first and a new claim
 * comes last. Karpenter's repeated stable sort has the same result.
 */
export interface BinOrder {
  /** Must be called when a bin is opened, and after each pod that it gains. */
  moved(bin: Bin): void
  /** The first bin that the test accepts. A bin that answers `never` is not shown to this asker again. */
  find(asker: number, rules: readonly DomainFilter[], test: (bin: Bin) => 'fits' | No): Bin | undefined
}

/** Ranks are whole numbers. The number of pods weighs more than the time of the last pod. */
const PER_POD = 2 ** 33
const LATEST = 2 ** 32

export function createBinOrder(bins: readonly Bin[]): BinOrder {
  /** By id of the bin. A rank grows with every pod. */
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

/** The bins of one asker. `queue`: the bins to ask. `parked`: bins in domains that a rule does not allow now, by group and domain. */
type View = { readonly queue: LazyQueue; readonly parked: Map<TopologyGroup, Map<string, number[]>> }

/** Puts bins back into the queue if the rule allows their domain again. */
function unpark({ queue, parked }: View, { group, allows }: DomainFilter): void {
  const ofGroup = parked.get(group)
  if (ofGroup === undefined) return
  for (const [domain, ids] of ofGroup) {
    if (!allows(domain)) continue
    for (const id of ids) queue.add(id)
    ofGroup.delete(domain)
  }
}

/** Parks a bin in a domain that a rule does not allow now: it need not be asked. Returns false if no rule refuses its domain. */
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
