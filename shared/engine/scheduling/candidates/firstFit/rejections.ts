import type { RelaxedPod } from '../../model/pods/podClass.ts'

/** Places that refused a relaxed pod for good: totals only grow and labels only narrow, so they need not be asked again. */
export interface Rejections {
  of(relaxedPod: RelaxedPod, places: number): Marks
}

export interface Marks {
  /** No place before this one needs to be asked. */
  readonly first: number
  has(place: number): boolean
  /** No place before this one will do. */
  begin(place: number): void
  add(place: number): void
}

export function createRejections(): Rejections {
  const known = new Map<number, GrowingMarks>()
  return {
    of(relaxedPod, places) {
      const marks = known.get(relaxedPod.id) ?? createMarks()
      known.set(relaxedPod.id, marks)
      marks.grow(places)
      return marks
    },
  }
}

interface GrowingMarks extends Marks {
  grow(places: number): void
}

function createMarks(): GrowingMarks {
  let marked = new Uint8Array()
  let first = 0
  return {
    get first() {
      return first
    },
    has: (place) => marked[place] === 1,
    begin(place) {
      first = Math.max(first, place)
      while (marked[first] === 1) first++
    },
    add(place) {
      marked[place] = 1
      while (marked[first] === 1) first++
    },
    grow(places) {
      if (places <= marked.length) return
      const larger = new Uint8Array(Math.max(64, places * 2))
      larger.set(marked)
      marked = larger
    },
  }
}
