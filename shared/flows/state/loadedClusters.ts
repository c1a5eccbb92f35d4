/**
 * The most objects that one process holds of all its clusters. A cluster with 5,000 nodes and 100,000 pods has 110,000 objects and takes some 290 MiB
 * (`npm run bench:app`). This number fits an instance of 2 GiB, beside all else.
 */
const MOST_OBJECTS = 400_000

/** The state that a process holds of one cluster. */
export type Holding = {
  readonly size: () => number
  readonly forget: () => void
}

/** The clusters that one process holds. If they have too many objects, the least recently used cluster is forgotten. */
export interface LoadedClusters {
  /** Notes that the cluster was used now. */
  used(holding: Holding): void
}

export function createLoadedClusters(mostObjects = MOST_OBJECTS): LoadedClusters {
  /** The least recently used cluster comes first. */
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
