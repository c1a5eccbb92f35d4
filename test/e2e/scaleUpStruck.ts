import { expect } from 'vitest'
import type { World } from './world.ts'

export const STRUCK_PODS = 3

/** Scales up, strikes at the moment, and expects the undisturbed end: a machine a pod, and in the end none. */
export async function scaleUpStruck(world: World, moment: () => Promise<unknown>, strike: () => unknown): Promise<void> {
  const reached = moment()
  await world.scale('app', STRUCK_PODS)
  await reached
  await strike()
  await world.settle(STRUCK_PODS)
  expect(world.machinesMade()).toHaveLength(STRUCK_PODS)
  await world.scale('app', 0)
  await world.settle(0)
  expect(world.machinesMade()).toHaveLength(STRUCK_PODS)
}
