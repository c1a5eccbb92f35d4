import type { Bin } from '../hosts/bin.ts'
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
  find(asker: number, test: (bin: Bin) => 'fits' | No): Bin | undefined
}

/** Ranks are whole numbers: how many pods a bin has weighs more than when the last one came. */
const PER_POD = 2 ** 33
const LATEST = 2 ** 32

export function createBinOrder(bins: readonly Bin[]): BinOrder {
  /** By number of the bin: grows with every pod. */
  const ranks: number[] = []
  const queues = new Map<number, LazyQueue>()
  const rankOf = (id: number): number => ranks[id] ?? 0
  let moves = 0

  function moved({ id, podCount }: Bin): void {
    moves++
    ranks[id] = podCount * PER_POD + (podCount === 1 ? moves : LATEST - moves)
  }

  for (const bin of bins) moved(bin)

  function queueOf(asker: number): LazyQueue {
    const known = queues.get(asker)
    const queue = known ?? createQueue(rankOf)
    if (known === undefined) queues.set(asker, queue)
    queue.extend(bins.length)
    return queue
  }

  return {
    moved,
    find(asker, test) {
      const queue = queueOf(asker)
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
        if (answer === 'notNow') later.push(id)
      }
      for (const id of later) queue.add(id)
      return found
    },
  }
}
