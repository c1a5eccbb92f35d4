/** The best of many entries, of which few change at a time. */
export interface Tournament<Entry> {
  /** Puts an entry, or none, at the place. Takes time in the logarithm of the number of places. */
  set(place: number, entry: Entry | undefined): void
  best(): Entry | undefined
}

/** `isBetter` is asked whether the second of two entries, in the order of their places, goes before the first. */
export function createTournament<Entry>(places: number, isBetter: (later: Entry, earlier: Entry) => boolean): Tournament<Entry> {
  const first = 2 ** Math.ceil(Math.log2(Math.max(1, places)))
  const winners: (Entry | undefined)[] = Array.from({ length: 2 * first })
  return {
    set(place, entry) {
      let at = first + place
      winners[at] = entry
      for (at >>= 1; at > 0; at >>= 1) {
        const earlier = winners[2 * at]
        const later = winners[2 * at + 1]
        winners[at] = earlier === undefined || (later !== undefined && isBetter(later, earlier)) ? later : earlier
      }
    },
    best: () => winners[1],
  }
}
