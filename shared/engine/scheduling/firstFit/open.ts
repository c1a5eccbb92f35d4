import { NO_RESOURCES, type Resources } from '../../../model/resources.ts'
import { largestCapacityOf } from '../catalog/combination.ts'
import { isWithin, machineOf } from '../catalog/limits.ts'
import { type Minimums, minimumsOf, relaxed, shortagesOf } from '../catalog/minValues.ts'
import type { Size } from '../catalog/template.ts'
import { type Bin, type BinStart, type Fit, openBin, survivorsOf } from '../hosts/bin.ts'
import type { Plan, Start } from '../plan.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import { reservationsFor } from '../reserved/holdReservations.ts'
import type { Allowance } from '../topology/rules.ts'
import { tryBin } from './place.ts'

export type Opened = { readonly bin: Bin; readonly fit: Fit }

/** A new claim of the first pool that takes the pod. `postponed`: that pool has reserved capacity for it, which others hold for now. */
export function openFor(plan: Plan, podClass: PodClass, variant: Variant, rules: readonly Allowance[]): Opened | 'postponed' | undefined {
  for (const start of plan.starts) {
    const opened = openIn(plan, start, podClass, variant, rules)
    if (opened !== undefined) return opened
  }
  return undefined
}

/** Whether some pool could make a machine for the pod. */
export function couldOpen(plan: Plan, podClass: PodClass, variant: Variant, rules: readonly Allowance[]): boolean {
  return plan.starts.some((start) => typeof tryBin(candidateOf(plan, start), podClass, variant, rules, plan.commitment) === 'object')
}

/** Takes the largest size it may become from the limits, since nobody knows yet which one it will be. */
function openIn(
  plan: Plan,
  start: Start,
  podClass: PodClass,
  variant: Variant,
  rules: readonly Allowance[],
): Opened | 'postponed' | undefined {
  const candidate = candidateOf(plan, start)
  const fit = tryBin(candidate, podClass, variant, rules, plan.commitment)
  if (fit === 'never' || fit === 'notNow') return undefined
  if (reservationsFor(plan, candidate, fit, podClass) === undefined) return 'postponed'
  const { combination, limits } = start
  const asked = minimumsOf(combination.template.requirements)
  if (asked.size === 0 && limits.left === undefined) return { bin: candidate, fit }
  const sizes = survivorsOf(candidate, fit.combination, podClass.amounts)
  const shortages = shortagesOf(asked, sizes)
  if (plan.isStrict && shortages.length > 0) return undefined
  const minimums: Minimums = relaxed(asked, shortages)
  const charge = machineOf(mostOf(sizes, limits.left))
  const bin = openBin(plan.bins.length, { ...startOf(start), minimums, charge }, plan.axes)
  limits.take(charge)
  return { bin, fit }
}

function candidateOf(plan: Plan, start: Start): Bin {
  return openBin(plan.bins.length, startOf(start), plan.axes)
}

/** The most of each limited resource that any of the sizes has. */
function mostOf(sizes: readonly Size[], limited: Resources | undefined): Resources {
  const most: { [name: string]: number } = {}
  for (const name in limited) for (const { type } of sizes) most[name] = Math.max(most[name] ?? 0, type.capacity[name] ?? 0)
  return most
}

function startOf({ combination, limits }: Start): BinStart {
  const isTight = !isWithin(largestCapacityOf(combination), limits.left)
  const ceiling = limits.left === undefined || !isTight ? undefined : { ...limits.left }
  return { combination, minimums: new Map(), ceiling, charge: NO_RESOURCES }
}
