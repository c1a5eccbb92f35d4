/** Rows that wait to be sent, oldest first. */
export type Outbox<Row> = {
  readonly size: number
  /** The number of rows that were dropped for lack of space since the start. */
  readonly dropped: number
  add(row: Row): void
  /** Removes and returns the oldest rows, at most `most`. */
  take(most: number): readonly Row[]
  /** Puts rows that could not be sent back to the front. */
  putBack(rows: readonly Row[]): void
}

/** An outbox of `most` rows. Beyond them the newest rows are dropped, because the first rows explain the others. */
export function createOutbox<Row>(most: number): Outbox<Row> {
  let rows: Row[] = []
  let dropped = 0
  return {
    get size() {
      return rows.length
    },
    get dropped() {
      return dropped
    },
    add(row) {
      if (rows.length < most) rows.push(row)
      else dropped += 1
    },
    take: (count) => rows.splice(0, count),
    putBack(again) {
      const all = [...again, ...rows]
      dropped += Math.max(0, all.length - most)
      rows = all.slice(0, most)
    },
  }
}
