import type { Subnet } from '@azure/arm-network'

/** Azure keeps the first four addresses and the last one of each range. */
const RESERVED = 5

/**
 * The most addresses of a subnet that can be free. Azure lists each configuration that uses the subnet, and each takes at least one address. So a
 * subnet that counts as full is full, but a subnet with free addresses may still be refused. Undefined if Azure does not say the range.
 */
export function freeAddresses({ addressPrefix, addressPrefixes = [], ipConfigurations = [] }: Subnet): number | undefined {
  const ranges = addressPrefixes.length > 0 ? addressPrefixes : addressPrefix === undefined ? [] : [addressPrefix]
  const sizes = ranges.flatMap((range) => sizeOf(range) ?? [])
  if (sizes.length === 0) return undefined
  return sizes.reduce((sum, size) => sum + size, 0) - ipConfigurations.length
}

/** The usable addresses of a range such as `10.224.0.0/16`. Undefined for a range of IPv6, which never runs out. */
function sizeOf(range: string): number | undefined {
  const [, bits] = /^\d+\.\d+\.\d+\.\d+\/(\d+)$/.exec(range) ?? []
  return bits === undefined || Number(bits) > 32 ? undefined : Math.max(0, 2 ** (32 - Number(bits)) - RESERVED)
}
