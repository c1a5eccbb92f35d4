/** Rows that wait to be sent, oldest first. */
export type Outbox<Row> = {
  readonly size: number
  /** Rows that found no place since the start. */
  readonly dropped: number
  add(row: Row): void
  /** At most `most` of the oldest. */
  take(most: number): readonly Row[]
  /** Rows that could not be sent, to the front. */
  putBack(rows: readonly Row[]): void
}

/** Holds `most` rows. Beyond them the newest give way: what happened first is what explains the rest. */
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
