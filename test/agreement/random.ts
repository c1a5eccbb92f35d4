/** Reproducible random numbers: the same seed gives the same numbers everywhere. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  int(below: number): number
  chance(probability: number): boolean
  pick<Item>(from: readonly Item[]): Item
  /** A subset of the items. Each item is in the subset with this probability. */
  some<Item>(from: readonly Item[], probability: number): readonly Item[]
}

/** The generator is mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number): number => Math.floor(next() * below)
  return {
    int,
    chance: (probability) => next() < probability,
    pick: <Item>(from: readonly Item[]): Item => {
      const item = from[int(from.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    some: (from, probability) => from.filter(() => next() < probability),
  }
}

/** The same items in another order. */
export function inRandomOrder<Item>(items: readonly Item[], random: Random): readonly Item[] {
  return items
    .map((item) => ({ item, at: random.int(1_000_000_000) }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}
