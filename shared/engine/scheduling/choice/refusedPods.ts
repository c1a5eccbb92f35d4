import type { Plan } from '../candidates/plan.ts'
import type { PodClass } from '../model/pods/podClass.ts'

/** Pods without a place, except pods that wait for a later decision. */
export function refusedOf({ left, postponed }: Plan): ReadonlyMap<PodClass, number> {
  return new Map([...left].filter(([podClass, count]) => count > 0 && !postponed.has(podClass)))
}
