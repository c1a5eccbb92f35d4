import type { RelaxedPod } from '../../model/pods/podClass.ts'

/** Remembers places that refused a relaxed pod for good. Totals only grow and labels only narrow, so these places need not be asked again. */
export interface Rejections {
  of(relaxedPod: Pick<RelaxedPod, 'id'>): Marks
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
      const marks = known.get(relaxedPod.id) ?? new PlaceMarks()
      known.set(relaxedPod.id, marks)
      return marks
    },
  }
}

/** A class because plans have marks for each relaxed pod: all of them share their methods. */
class PlaceMarks implements Marks {
  first = 0
  /** Made with the first mark behind `first`: most pods of most plans are refused by few places. */
  #marked = NO_MARKS

  has(place: number): boolean {
    return place < this.first || this.#marked[place] === 1
  }

  begin(place: number): void {
    this.first = Math.max(this.first, place)
    while (this.#marked[this.first] === 1) this.first++
  }

  add(place: number): void {
    if (place === this.first) {
      this.begin(place + 1)
      return
    }
    if (place >= this.#marked.length) this.#marked = largerThan(this.#marked, place)
    this.#marked[place] = 1
  }
}

const NO_MARKS = new Uint8Array()

function largerThan(marked: Uint8Array, place: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(64, place * 2))
  larger.set(marked)
  return larger
}
