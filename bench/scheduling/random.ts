/** Reproducible chance for inputs: xorshift of 32 bits, the generator the published bounds of the Azure workloads were drawn with. */
export interface Random {
  /** From 0 up to and without 1. */
  next(): number
  /** From 0 up to and without `below`. */
  int(below: number): number
  chance(probability: number): boolean
  pick<Item>(from: readonly Item[]): Item
}

export function createRandom(seed: number): Random {
  let state = seed | 0 || 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const int = (below: number): number => Math.floor(next() * below)
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: <Item>(from: readonly Item[]): Item => from[int(from.length)] as Item,
  }
}
