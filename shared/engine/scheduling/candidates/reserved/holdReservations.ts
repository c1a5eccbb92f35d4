/**
 * Karpenter's way: a claim holds on to every reservation it may still use, and what can use reserved capacity but have none waits for a
 * later decision rather than take something else.
 */

import { reservedIn } from '../../model/cluster/reservations.ts'
import { type Bin, type Fit, survivorsOf } from '../../model/nodes/bin.ts'
import type { PodClass } from '../../model/pods/podClass.ts'
import type { Plan } from '../plan.ts'
import { heldTo } from './reservedPoolOptions.ts'

const NONE: ReadonlySet<string> = new Set()

/** What the claim would hold with one more pod of the class. Undefined: it could use reserved capacity, and can have none. */
export function reservationsFor({ held }: Plan, bin: Bin, { narrowedTemplate }: Fit, podClass: PodClass): ReadonlySet<string> | undefined {
  if (held === undefined || narrowedTemplate.template.reserved.length === 0) return NONE
  const sizes = new Set(survivorsOf(bin, narrowedTemplate, podClass.amounts).map((size) => size.index))
  const usable = [...reservedIn(narrowedTemplate)].filter(([, types]) => types.some((type) => sizes.has(type))).map(([id]) => id)
  const own = held.of.get(bin) ?? NONE
  const ids = usable.filter((id) => own.has(id) || (held.left.get(id) ?? 0) > 0)
  return ids.length === 0 && usable.length + own.size > 0 ? undefined : new Set(ids)
}

/** Takes what the claim may use now, and gives back what it may not use any more. */
export function hold(plan: Plan, bin: Bin, ids: ReadonlySet<string>): void {
  const { held } = plan
  if (held === undefined) return
  const own = held.of.get(bin) ?? NONE
  for (const id of ids) if (!own.has(id)) held.left.set(id, (held.left.get(id) ?? 0) - 1)
  for (const id of own) {
    if (ids.has(id)) continue
    held.left.set(id, (held.left.get(id) ?? 0) + 1)
    plan.version++
  }
  if (ids.size + own.size > 0) held.of.set(bin, ids)
}

/** A claim that holds reservations takes nothing else. */
export function settleReservations({ held }: Plan): void {
  for (const [bin, ids] of held?.of ?? []) {
    const settled = ids.size === 0 ? undefined : heldTo(bin.narrowedTemplate, [...ids])
    if (settled === undefined) continue
    bin.narrowedTemplate = settled
    bin.cursor = 0
  }
}
