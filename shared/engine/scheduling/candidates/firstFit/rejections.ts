import type { RelaxedPod } from '../../model/pods/podClass.ts'

/** Remembers places that refused a relaxed pod for good. Totals only grow and labels only narrow, so these places need not be asked again. */
export interface Rejections {
  of(relaxedPod: RelaxedPod): Marks
}

export interface Marks {
  /** No place before this one needs to be asked. */
  readonly first: number
  has(place: number): boolean
  /** Rules out all places before this one. */
  begin(place: number): void
  add(place: number): void
}

export function createRejections(): Rejections {
  const known = new Map<number, Marks>()
  return {
    of(relaxedPod) {
      const marks = known.get(relaxedPod.id) ?? createMarks()
      known.set(relaxedPod.id, marks)
      return marks
    },
  }
}

/** The buffer is made with the first mark: most pods of most plans are refused by no place. */
function createMarks(): Marks {
  let marked = NO_MARKS
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
      if (place >= marked.length) marked = largerThan(marked, place)
      marked[place] = 1
      while (marked[first] === 1) first++
    },
  }
}

const NO_MARKS = new Uint8Array()

function largerThan(marked: Uint8Array, place: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(64, place * 2))
  larger.set(marked)
  return larger
}
