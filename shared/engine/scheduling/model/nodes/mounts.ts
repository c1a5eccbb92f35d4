/** Volumes that several pods share. A machine attaches each of them once. */

import type { PodClass } from '../pods/podClass.ts'
import type { Amounts } from '../quantities/amounts.ts'

/** The amounts that one more pod of the class takes of a machine that has mounted these claims already. */
export function amountsOn(mounted: readonly string[], { amounts, shared }: PodClass): Amounts {
  if (shared.length === 0 || mounted.length === 0) return amounts
  const left = Float64Array.from(amounts)
  for (const { claim, axis } of shared) if (mounted.includes(claim)) left[axis] = (left[axis] ?? 0) - 1
  return left
}

/** Records that the machine has mounted the shared claims of the class. */
export function mount(mounted: string[], { shared }: PodClass): void {
  for (const { claim } of shared) if (!mounted.includes(claim)) mounted.push(claim)
}
