import type { Bin } from '../hosts/bin.ts'

/**
 * Open claims, those with the fewest pods first. Of equals, one that just gained a pod comes before those that were there, and a new one
 * comes last: what Karpenter's repeated stable sort amounts to.
 */
export interface BinOrder {
  /** Call when the bin was opened, and after each pod. */
  moved(bin: Bin): void
  /** The first bin that the test takes. */
  find(test: (bin: Bin) => boolean): Bin | undefined
}

/** Bins that have one number of pods: `front` reversed, then `back`. Entries of bins that have gone on are stale. */
type Bucket = { front: Bin[]; back: Bin[] }

export function createBinOrder(): BinOrder {
  const buckets: Bucket[] = []
  const isIn = (count: number) => (bin: Bin) => bin.podCount === count

  function compact(bucket: Bucket, count: number): void {
    bucket.front = bucket.front.filter(isIn(count))
    bucket.back = bucket.back.filter(isIn(count))
  }

  function findIn({ front, back }: Bucket, count: number, test: (bin: Bin) => boolean, stale: { seen: number }): Bin | undefined {
    for (let at = front.length - 1; at >= 0; at--) {
      const bin = front[at]
      if (bin?.podCount !== count) stale.seen++
      else if (test(bin)) return bin
    }
    for (const bin of back) {
      if (bin.podCount !== count) stale.seen++
      else if (test(bin)) return bin
    }
    return undefined
  }

  return {
    moved(bin) {
      while (buckets.length <= bin.podCount) buckets.push({ front: [], back: [] })
      const bucket = buckets[bin.podCount]
      if (bin.podCount === 1) bucket?.back.push(bin)
      else bucket?.front.push(bin)
    },
    find(test) {
      for (const [count, bucket] of buckets.entries()) {
        const stale = { seen: 0 }
        const found = findIn(bucket, count, test, stale)
        if (stale.seen * 2 > bucket.front.length + bucket.back.length) compact(bucket, count)
        if (found !== undefined) return found
      }
      return undefined
    },
  }
}
