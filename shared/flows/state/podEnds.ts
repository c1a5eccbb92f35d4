import { largestOf } from '../../base/lists.ts'
import type { Change } from '../../model/change.ts'
import type { NodeName } from '../../model/ids.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import { nodeOccupiedBy } from './departures.ts'

/**
 * The pods that end on nodes that stay: a controller deletes them, or they have ended by themselves. Pods of DaemonSets do not count, nor do pods of
 * nodes that are drained or gone.
 */
export interface PodEnds {
  /** Notes that a version of an object replaced another. */
  note(before: Change | undefined, after: Change): void
  /** The times, `from` or later, at which pods began to end or left their nodes. Times are kept for ten seconds. */
  since(from: EpochMs): readonly EpochMs[]
  /** The number of pods that are ending and whose deletion time is `from` or later. Pods with an earlier time are forgotten. */
  ending(from: EpochMs): number
}

/** How long a time is kept after the newest. */
const KEPT = durationMs(10_000)

/** `isStaying`: reports whether the node exists and is not drained. */
export function createPodEnds(isStaying: (node: NodeName) => boolean): PodEnds {
  /** The deletion times of ending pods, by key. */
  const ending = new Map<string, EpochMs>()
  let ends: EpochMs[] = []
  let mostEnds = 0

  function noteEnd(at: EpochMs): void {
    ends.push(at)
    if (ends.length <= mostEnds) return
    const newest = largestOf(ends, at)
    ends = ends.filter((each) => later(each, KEPT) >= newest)
    mostEnds = 2 * ends.length
  }

  return {
    note(before, after) {
      const node = before && nodeOccupiedBy(before)
      if (node === undefined) return
      const hasLeft = nodeOccupiedBy(after) !== node
      const deletedAt = deletionOf(after)
      const hasBegun = deletedAt !== undefined && !ending.has(after.key)
      if (isStaying(node) && (hasLeft || hasBegun)) noteEnd(after.at)
      if (hasLeft) ending.delete(after.key)
      else if (deletedAt !== undefined && isStaying(node)) ending.set(after.key, deletedAt)
    },
    since: (from) => ends.filter((at) => at >= from),
    ending(from) {
      for (const [key, deletedAt] of ending) if (deletedAt < from) ending.delete(key)
      return ending.size
    },
  }
}

function deletionOf(change: Change): EpochMs | undefined {
  return change.op === 'put' && change.kind === 'pod' ? change.object.deletedAt : undefined
}
