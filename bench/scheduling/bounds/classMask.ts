/** Sets of pod classes as masks, with a bit for each class. */
export function hasBit(mask: bigint, podClass: number): boolean {
  return ((mask >> BigInt(podClass)) & 1n) === 1n
}

export function bitOf(podClass: number): bigint {
  return 1n << BigInt(podClass)
}
