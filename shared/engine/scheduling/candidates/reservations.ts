/**
 * Reservations in first fit, as in Karpenter: a claim holds every reservation that it may still use. A pod that could use reserved capacity and finds
 * none left waits for a later decision.
 */

import { LABEL } from '../../../model/labels.ts'
import { type Limits, limitOfMachines, limitsTogether } from '../model/catalog/limits.ts'
import { type NarrowedTemplate, withOfferings, withValue, withValues } from '../model/catalog/narrowedTemplate.ts'
import { type Reservations, reservedIn } from '../model/cluster/cluster.ts'
import { type Bin, type Fit, survivorsOf } from '../model/nodes/bin.ts'
import type { PodClass } from '../model/pods/constraint.ts'
import { bitsOf, hasBit } from '../model/quantities/amounts.ts'
import type { NodePoolOption, Plan } from './plan.ts'

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

/**
 * Reservations in the packed plan: each reservation of a pool is a pool option of its own, with a limit on its machines. For each pool the options of
 * its reservations, then one option for all other offerings.
 */
export function reservedPoolOptions(poolOptions: readonly NodePoolOption[], left: Reservations): readonly NodePoolOption[] {
  if (left.size === 0) return poolOptions
  const limits = new Map<string, Limits>([...left].map(([id, count]) => [id, limitOfMachines(count)]))
  return poolOptions.flatMap((poolOption) => {
    const { narrowedTemplate } = poolOption
    if (narrowedTemplate.template.reserved.length === 0) return [poolOption]
    const paid = [...reservedIn(narrowedTemplate).keys()].flatMap((id) => {
      const held = heldTo(narrowedTemplate, [id])
      const own = limits.get(id)
      if (held === undefined || own === undefined) return []
      return [{ narrowedTemplate: held, limits: limitsTogether(poolOption.limits, own), reservation: { id, limits: own } }]
    })
    return [...paid, { narrowedTemplate: withoutReserved(narrowedTemplate), limits: poolOption.limits }]
  })
}

/** The template held to these reservations. Undefined if no size serves then. */
function heldTo(narrowedTemplate: NarrowedTemplate, ids: readonly string[]): NarrowedTemplate | undefined {
  const reserved = withValue(narrowedTemplate, LABEL.capacityType, 'reserved')
  return reserved === undefined ? undefined : withValues(reserved, { key: LABEL.reservation, complement: false, values: [...ids].sort() })
}

function withoutReserved(narrowedTemplate: NarrowedTemplate): NarrowedTemplate {
  const { offerings } = narrowedTemplate.template.catalog
  const others = bitsOf(offerings.length, (index) => {
    return hasBit(narrowedTemplate.offerings, index) && offerings[index]?.offering.reservation === undefined
  })
  return withOfferings(narrowedTemplate, others)
}
