import { expect } from 'vitest'
import type { Environment } from './environment.ts'

export const STRUCK_PODS = 3

/** Scales up, strikes at the given moment, and expects the result of an undisturbed run: one machine for each pod, and none at the end. */
export async function scaleUpStruck(environment: Environment, moment: () => Promise<unknown>, strike: () => unknown): Promise<void> {
  const reached = moment()
  await environment.scale('app', STRUCK_PODS)
  await reached
  await strike()
  await environment.settle(STRUCK_PODS)
  expect(environment.machinesMade()).toHaveLength(STRUCK_PODS)
  await environment.scale('app', 0)
  await environment.settle(0)
  expect(environment.machinesMade()).toHaveLength(STRUCK_PODS)
}
