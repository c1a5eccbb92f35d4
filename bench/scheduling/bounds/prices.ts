import type { BoundProblem } from './boundProblem.ts'
import { hasBit } from './classMask.ts'

/**
 * Dual values of each shape of pods, and of the room on existing nodes. `earned` is the bound that they prove, if no node's pods are worth more than
 * the node costs.
 */
export type Prices = {
  readonly shapes: readonly number[]
  /** By existing room, then by resource. */
  readonly rooms: readonly (readonly number[])[]
  readonly earned: number
}

/** Corrects rounding errors of the solver: a pod is worth neither less than nothing nor more than the room that it would take on existing nodes. */
export function validPrices({ demand, supply }: BoundProblem, shapePrices: readonly number[], roomPrices: Prices['rooms']): Prices {
  const rooms = roomPrices.map((room) => room.map((price) => Math.max(0, price)))
  const shapes = demand.shapes.map(({ podClass, amounts }, shape) => {
    const inRooms = supply.existing.flatMap(({ admits }, room) => (hasBit(admits, podClass) ? [product(amounts, rooms[room] ?? [])] : []))
    return Math.max(0, Math.min(shapePrices[shape] ?? 0, ...inRooms))
  })
  const worth = demand.shapes.reduce((sum, { count }, shape) => sum + count * (shapes[shape] ?? 0), 0)
  const spent = supply.existing.reduce((sum, { free }, room) => sum + product(free, rooms[room] ?? []), 0)
  return { shapes, rooms, earned: worth - spent }
}

/** Returns dual values between the two, `share` of the way from the first to the second. They are valid if both are valid. */
export function between(first: Prices, second: Prices, share: number): Prices {
  const mix = (one: number, other: number): number => one + share * (other - one)
  return {
    shapes: first.shapes.map((price, shape) => mix(price, second.shapes[shape] ?? 0)),
    rooms: first.rooms.map((room, index) => room.map((price, axis) => mix(price, second.rooms[index]?.[axis] ?? 0))),
    earned: mix(first.earned, second.earned),
  }
}

export function product(first: readonly number[], second: readonly number[]): number {
  return first.reduce((sum, value, index) => sum + value * (second[index] ?? 0), 0)
}
