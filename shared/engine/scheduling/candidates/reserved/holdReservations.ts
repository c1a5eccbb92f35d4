/**
 * Reservations in first fit, as in Karpenter: a claim holds every reservation that it may still use. A pod that could use reserved capacity and finds
 * none left waits for a later decision.
 */

import { reservedIn } from '../../model/cluster/reservations.ts'
import { type Bin, type Fit, survivorsOf } from '../../model/nodes/bin.ts'
import type { PodClass } from '../../model/pods/podClass.ts'
import type { Plan } from '../plan.ts'
import { heldTo } from './reservedPoolOptions.ts'

const NONE: ReadonlySet<string> = new Set()

/** The reservations that the claim would hold with one more pod of the class. Undefined if it could use reserved capacity and none is left. */
export function reservationsFor({ held }: Plan, bin: Bin, { narrowedTemplate }: Fit, podClass: PodClass): ReadonlySet<string> | undefined {
  if (held === undefined || narrowedTemplate.template.reserved.length === 0) return NONE
  const sizes = new Set(survivorsOf(bin, narrowedTemplate, podClass.amounts).map((size) => size.index))
  const usable = [...reservedIn(narrowedTemplate)].filter(([, types]) => types.some((type) => sizes.has(type))).map(([id]) => id)
  const own = held.of.get(bin) ?? NONE
  const ids = usable.filter((id) => own.has(id) || (held.left.get(id) ?? 0) > 0)
  return ids.length === 0 && usable.length + own.size > 0 ? undefined : new Set(ids)
}

/** Takes the reservations that the claim may use now, and gives back the reservations that it may not use any more. */
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

/** Holds each claim with reservations to these reservations. It may then use no other offering. */
export function settleReservations({ held }: Plan): void {
  for (const [bin, ids] of held?.of ?? []) {
    const settled = ids.size === 0 ? undefined : heldTo(bin.narrowedTemplate, [...ids])
    if (settled === undefined) continue
    bin.narrowedTemplate = settled
    bin.cursor = 0
  }
}
