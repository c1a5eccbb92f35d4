/** Sets of small numbers as words of 32 bits. A set is made once and then only read. */
export type Bits = Uint32Array

export function bitsOf(size: number, has: (index: number) => boolean): Bits {
  const bits = new Uint32Array((size + 31) >>> 5)
  for (let index = 0; index < size; index++) if (has(index)) bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31))
  return bits
}

export function both(first: Bits, second: Bits): Bits {
  const result = new Uint32Array(first.length)
  for (let word = 0; word < result.length; word++) result[word] = (first[word] ?? 0) & (second[word] ?? 0)
  return result
}

export function hasBit(bits: Bits, index: number): boolean {
  return (((bits[index >>> 5] ?? 0) >>> (index & 31)) & 1) === 1
}

export function isEmpty(bits: Bits): boolean {
  for (const word of bits) if (word !== 0) return false
  return true
}

/** The members, smallest first. */
export function membersOf(bits: Bits): number[] {
  const members: number[] = []
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word] ?? 0; rest !== 0; rest &= rest - 1) members.push(word * 32 + 31 - Math.clz32(rest & -rest))
  }
  return members
}
