/**
 * Objects that one process holds of all its clusters. With 5,000 nodes and 100,000 pods a cluster has 110,000 and takes some 290 MiB (`npm run bench:app`): this many
 * fit an instance of 2 GiB, beside all else.
 */
const MOST_OBJECTS = 400_000

/** What a process holds of one cluster. */
export type Holding = {
  readonly size: () => number
  readonly forget: () => void
}

/** The clusters that one process holds. Where they are too many, the one that was used longest ago is let go. */
export interface LoadedClusters {
  /** The cluster was used just now. */
  used(holding: Holding): void
}

export function createLoadedClusters(mostObjects = MOST_OBJECTS): LoadedClusters {
  /** Used longest ago first. */
  const held = new Set<Holding>()
  return {
    used(holding) {
      held.delete(holding)
      held.add(holding)
      let objects = [...held].reduce((sum, each) => sum + each.size(), 0)
      for (const each of held) {
        if (objects <= mostObjects || each === holding) return
        objects -= each.size()
        each.forget()
        held.delete(each)
      }
    },
  }
}
