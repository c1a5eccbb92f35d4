import { ownValue } from '../../../../base/values.ts'
import type { Resources } from '../../../../model/resources.ts'

/** Resources as numbers in the order of the axes. The hot loops add and compare them. */
export type Amounts = Float64Array

/** Azure Disk: the driver whose attach limit a VM size decides. */
export const DISK_DRIVER = 'disk.csi.azure.com'

/** The axes of a decision: the resources that any pod asks for, then the volume drivers whose attachments count. */
export type Axes = {
  /** Equal for equal axes. */
  readonly key: string
  readonly names: readonly string[]
  readonly drivers: readonly string[]
  /** What a pod takes. `attached`: the volumes that it attaches, by driver. */
  amountsOf(resources: Resources, attached: ReadonlyMap<string, readonly string[]>): Amounts
  /** What a machine has left. Attachments without a known limit are free. */
  freeOf(resources: Resources, maxDataDisks: number | undefined): Amounts
  /** The same for a machine whose attach limits are known. */
  freeWith(resources: Resources, attachable: ReadonlyMap<string, number>): Amounts
}

export function axesOf(requests: Iterable<Resources>, drivers: Iterable<string>): Axes {
  const found = new Set<string>()
  for (const each of requests) for (const name in each) found.add(name)
  const names = [...found].sort()
  const driverNames = [...new Set(drivers)].sort()
  const size = names.length + driverNames.length
  const axisOf = new Map(names.map((name, axis) => [name, axis]))
  const filled = (resources: Resources, attachments: (driver: string) => number): Amounts => {
    const amounts = new Float64Array(size)
    for (const name in resources) {
      const axis = axisOf.get(name)
      if (axis !== undefined) amounts[axis] = ownValue(resources, name) ?? 0
    }
    for (const [index, driver] of driverNames.entries()) amounts[names.length + index] = attachments(driver)
    return amounts
  }
  return {
    key: `${names.join()} ${driverNames.join()}`,
    names,
    drivers: driverNames,
    amountsOf: (resources, attached) => filled(resources, (driver) => attached.get(driver)?.length ?? 0),
    freeOf: (resources, disks) => filled(resources, (driver) => (driver === DISK_DRIVER ? disks : undefined) ?? Number.POSITIVE_INFINITY),
    freeWith: (resources, attachable) => filled(resources, (driver) => attachable.get(driver) ?? Number.POSITIVE_INFINITY),
  }
}

export function fits(amounts: Amounts, free: Amounts): boolean {
  for (let axis = 0; axis < free.length; axis++) if ((amounts[axis] ?? 0) > (free[axis] ?? 0)) return false
  return true
}

export function fitsWithin(total: Amounts, request: Amounts, free: Amounts): boolean {
  for (let axis = 0; axis < free.length; axis++) if ((total[axis] ?? 0) + (request[axis] ?? 0) > (free[axis] ?? 0)) return false
  return true
}

/** How many of `request` fit, at most `most`. */
export function countFitting(request: Amounts, free: Amounts, most: number): number {
  let count = most
  for (let axis = 0; axis < free.length && count > 0; axis++) {
    const each = request[axis] ?? 0
    const left = free[axis] ?? 0
    if (each > 0) count = Math.min(count, Math.floor(left / each))
    else if (left < 0) count = 0
  }
  return Math.max(0, count)
}

/** Pods, and what each of them takes. */
export type PodDemand = { readonly podClass: { readonly amounts: Amounts }; readonly count: number }

/** What all these pods take together. */
export function demandOf(pods: readonly PodDemand[], axes: number): Amounts {
  const demand = new Float64Array(axes)
  for (const { podClass, count } of pods) addTimes(demand, podClass.amounts, count)
  return demand
}

/** Adds `count` times `request` to a buffer of the caller. */
export function addTimes(total: Amounts, request: Amounts, count: number): void {
  for (let axis = 0; axis < total.length; axis++) total[axis] = (total[axis] ?? 0) + (request[axis] ?? 0) * count
}

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
