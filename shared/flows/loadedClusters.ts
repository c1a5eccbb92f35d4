import type { ClusterReader } from './catchUp.ts'

/**
 * Objects that one process holds of all its clusters. With 5,000 nodes and 100,000 pods a cluster has 110,000 and takes some 290 MiB (`npm run bench:app`): this many
 * fit an instance of 2 GiB, beside all else.
 */
const MOST_OBJECTS = 400_000

/** The clusters that one process holds. Where they are too many, the one that was used longest ago is let go. */
export interface LoadedClusters {
  /** The reader was used just now. */
  used(reader: ClusterReader): void
}

export function createLoadedClusters(mostObjects = MOST_OBJECTS): LoadedClusters {
  /** Used longest ago first. */
  const readers = new Set<ClusterReader>()
  return {
    used(reader) {
      readers.delete(reader)
      readers.add(reader)
      let objects = [...readers].reduce((sum, each) => sum + each.size(), 0)
      for (const each of readers) {
        if (objects <= mostObjects || each === reader) return
        objects -= each.size()
        each.forget()
        readers.delete(each)
      }
    },
  }
}
