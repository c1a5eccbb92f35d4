/** Verdicts with numbers: the resource that machines have too little of, and the limit that a NodePool has used up. */

import { largestOf, leastOf } from '../../../base/lists.ts'
import { byText } from '../../../base/order.ts'
import { ownValue } from '../../../base/ownValue.ts'
import type { NodePoolOption } from '../candidates/plan.ts'
import { isWithin, type Limits, needOf } from '../model/catalog/limits.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import type { Amounts, Axes } from '../model/quantities/amounts.ts'
import type { Verdict } from './verdict.ts'

/** Names the resource that the machine with the most of it has too little of. Resources come first, by name, and attachable volumes after them. */
export function tooSmall(
  machines: readonly { readonly free: Amounts }[],
  asks: Amounts,
  { names, drivers }: Axes,
): Extract<Verdict, { readonly kind: 'amount' | 'disks' | 'atOnce' }> {
  const missing = [...names, ...drivers].flatMap((name, axis) => {
    const asked = asks[axis] ?? 0
    if (asked === 0) return []
    const had = largestOf(
      machines.map(({ free }) => free[axis] ?? 0),
      0,
    )
    return asked > had ? [{ name, asked, had, shortBy: asked - had, isDriver: axis >= names.length }] : []
  })
  const [first] = missing.sort((one, other) => Number(one.isDriver) - Number(other.isDriver) || byText(one.name, other.name))
  if (first === undefined) return { kind: 'atOnce', instanceTypes: machines.length }
  const { name, asked, had, shortBy, isDriver } = first
  return isDriver ? { kind: 'disks', driver: name, asked, had, shortBy } : { kind: 'amount', resource: name, asked, had, shortBy }
}

/** The reservation that has no capacity left, or the limit of the NodePool that a machine of each of these instance types exceeds. */
export function overLimit(
  sizes: readonly InstanceTypeOption[],
  { limits, reservation }: Pick<NodePoolOption, 'reservation'> & { readonly limits: Pick<Limits, 'left'> },
): Verdict {
  if (reservation !== undefined && !isWithin({}, reservation.limits.left)) return { kind: 'reservation', reservation: reservation.id }
  const left = limits.left ?? {}
  const names = Object.keys(left).sort()
  const resource =
    names.find((each) => sizes.every((size) => needOf(size.type.capacity, each) > (ownValue(left, each) ?? 0))) ?? names[0] ?? 'cpu'
  const asked = leastOf(sizes.map((size) => needOf(size.type.capacity, resource)))
  const had = ownValue(left, resource) ?? 0
  return { kind: 'limit', resource, asked, had, shortBy: asked - had }
}
