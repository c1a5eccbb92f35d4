/** What pools could make for pods, before any machine is there. Buffers: none of it changes while domains are chosen. */
import { type Combination, withConstraint } from '../catalog/combination.ts'
import { fitIn, openBin } from '../hosts/bin.ts'
import type { Start } from '../plan.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import type { TopologyHost } from '../topology/host.ts'
import { combinedWith, type Pins } from './items.ts'

/** Whether one of the starts holds a pod of the class, whichever of its alternatives it takes. */
export function hasRoom(starts: readonly Start[], podClass: PodClass, { constraint }: Variant, axes: number): boolean {
  return starts.some(({ combination }) =>
    [constraint, ...constraint.ways].some((way) => {
      const combined = withConstraint(combination, way)
      return combined !== undefined && priceIn(combined, podClass, axes) !== undefined
    }),
  )
}

/** What the cheapest machine for the pod costs; undefined when none holds it. An unknown price comes after every known one. */
export function priceIn(combination: Combination, podClass: PodClass, axes: number): number | undefined {
  const fit = fitIn(emptyBin(combination, axes), combination, podClass)
  return fit === undefined ? undefined : (combination.best[fit.cursor]?.price ?? Number.MAX_SAFE_INTEGER)
}

/** A machine as the pod will find it, of which nothing but labels is known. */
export function hostIn(starts: readonly Start[], { constraint }: Variant, pins: Pins, axes: number): TopologyHost | undefined {
  for (const { combination } of starts) {
    const combined = combinedWith(combination, { constraint, pins })
    if (combined !== undefined) return emptyBin(combined, axes)
  }
  return undefined
}

function emptyBin(combination: Combination, axes: number) {
  return openBin(0, { combination, minimums: new Map(), ceiling: undefined, charge: {} }, axes)
}
