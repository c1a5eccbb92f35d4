/** A reproducible random generator for inputs: xorshift of 32 bits, with which the published bounds of the Azure workloads were drawn. */
export interface Random {
  /** From 0 to 1, without 1. */
  next(): number
  /** A whole number from 0 to `below`, without `below`. */
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
