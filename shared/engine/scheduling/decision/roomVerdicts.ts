/** What a machine, or all sizes of a pool, have too little of. */
import { largestOf, leastOf } from '../../../base/lists.ts'
import { byText } from '../../../base/order.ts'
import type { NodePoolOption } from '../candidates/plan.ts'
import { isWithin, needOf } from '../model/catalog/limits.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import { type Amounts, type Axes, fits } from '../model/quantities/amounts.ts'
import type { Verdict } from './verdict.ts'

/** Names the resource that the largest size is short of. */
export function tooSmall(sizes: readonly InstanceTypeOption[], amounts: Amounts, axes: Axes): Verdict {
  const largestOn = (axis: number): number =>
    largestOf(
      sizes.map((size) => size.free[axis] ?? 0),
      0,
    )
  const largest = amounts.map((asked, axis) => (asked > 0 ? largestOn(axis) : 0))
  const verdict = shortOf(amounts, largest, axes)
  return verdict === undefined ? { kind: 'atOnce', instanceTypes: sizes.length } : { ...verdict, instanceTypes: sizes.length }
}

/** What is asked beyond what is left; resources by name, then volumes. Undefined: nothing. */
export function shortOf(asks: Amounts, left: Amounts, { names, drivers }: Axes): ShortOf | undefined {
  if (fits(asks, left)) return undefined
  const missing = [...names, ...drivers].flatMap((name, axis) => {
    const asked = asks[axis] ?? 0
    const had = Math.max(0, left[axis] ?? 0)
    return asked > had ? [{ name, asked, had, shortBy: asked - had, isDriver: axis >= names.length }] : []
  })
  const [first] = missing.sort((one, other) => Number(one.isDriver) - Number(other.isDriver) || byText(one.name, other.name))
  if (first === undefined) return undefined
  const { name, asked, had, shortBy, isDriver } = first
  return isDriver ? { kind: 'disks', driver: name, asked, had, shortBy } : { kind: 'amount', resource: name, asked, had, shortBy }
}

type ShortOf = Extract<Verdict, { kind: 'amount' | 'disks' }>

export function overLimit(
  sizes: readonly InstanceTypeOption[],
  { limits, reservation }: Pick<NodePoolOption, 'limits' | 'reservation'>,
): Verdict {
  if (reservation !== undefined && !isWithin({}, reservation.limits.left)) return { kind: 'reservation', reservation: reservation.id }
  const left = limits.left ?? {}
  const names = Object.keys(left).sort()
  const resource = names.find((each) => sizes.every((size) => needOf(size.type.capacity, each) > (left[each] ?? 0))) ?? names[0] ?? 'cpu'
  const asked = leastOf(sizes.map((size) => needOf(size.type.capacity, resource)))
  const had = left[resource] ?? 0
  return { kind: 'limit', resource, asked, had, shortBy: asked - had }
}
