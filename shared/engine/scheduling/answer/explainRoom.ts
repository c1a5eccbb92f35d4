/** What a machine has too little of, with numbers. */
import { byText } from '../../../base/order.ts'
import type { Reason } from '../../../model/decision.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import type { Resources } from '../../../model/resources.ts'
import type { Amounts, Axes } from '../amounts.ts'
import { isWithin, needOf } from '../catalog/limits.ts'
import type { Size } from '../catalog/template.ts'
import type { Start } from '../plan.ts'

/** Why a pool refuses; the later the stage, the more it says. */
export type Verdict = {
  readonly stage: number
  readonly code: ProblemCode
  readonly message: string
  readonly fields?: NonNullable<Reason['fields']>
}

/** Names the resource that the largest size is shortest of. */
export function tooSmall(sizes: readonly Size[], amounts: Amounts, axes: Axes): Verdict {
  const missing = axes.names.map((name, axis) => {
    const asked = amounts[axis] ?? 0
    const had = Math.max(0, ...sizes.map((size) => size.free[axis] ?? 0))
    return { name, asked, had, shortBy: asked - had }
  })
  const [worst] = missing.filter((each) => each.shortBy > 0).sort((first, second) => byText(first.name, second.name))
  if (worst === undefined) return tooManyVolumes(sizes, amounts, axes) ?? tooMuchAtOnce(sizes)
  const { name, asked, had, shortBy } = worst
  const message = `asked ${amount(name, asked)} ${name}, the largest of ${sizes.length} instance types has ${amount(name, had)} left for pods, short by ${amount(name, shortBy)}`
  return { stage: 4, code: 'SCHEDULING.RESOURCES', message, fields: { resource: name, asked, had, shortBy } }
}

function tooManyVolumes(sizes: readonly Size[], amounts: Amounts, { names, drivers }: Axes): Verdict | undefined {
  for (const [index, driver] of drivers.entries()) {
    const axis = names.length + index
    const asked = amounts[axis] ?? 0
    const had = Math.max(...sizes.map((size) => size.free[axis] ?? 0))
    if (asked <= had) continue
    const message = `attaches ${asked} volumes of ${driver}, the largest of ${sizes.length} instance types takes ${had}`
    return { stage: 4, code: 'SCHEDULING.VOLUME', message, fields: { driver, asked, had, shortBy: asked - had } }
  }
  return undefined
}

function tooMuchAtOnce(sizes: readonly Size[]): Verdict {
  return { stage: 4, code: 'SCHEDULING.RESOURCES', message: `none of ${sizes.length} instance types has enough of every resource at once` }
}

export function overLimit(sizes: readonly Size[], { limits, reservation }: Start): Verdict {
  if (reservation !== undefined && !isWithin(NOTHING, reservation.limits.left)) {
    const { id } = reservation
    return { stage: 5, code: 'SCHEDULING.RESERVATION', message: `reservation ${id} pays for no more machines`, fields: { reservation: id } }
  }
  const left = limits.left ?? {}
  const names = Object.keys(left).sort()
  const name = names.find((each) => sizes.every((size) => needOf(size.type.capacity, each) > (left[each] ?? 0))) ?? names[0] ?? 'cpu'
  const asked = Math.min(...sizes.map((size) => needOf(size.type.capacity, name)))
  const had = left[name] ?? 0
  const message = `limit of ${name}: ${amount(name, Math.max(0, had))} left, the smallest machine that fits needs ${amount(name, asked)}`
  return { stage: 5, code: 'POOL.LIMIT', message, fields: { resource: name, asked, had, shortBy: asked - had } }
}

const NOTHING: Resources = {}

/** As a manifest would write it. */
function amount(name: string, value: number): string {
  if (name === 'cpu') return value % 1000 === 0 ? String(value / 1000) : `${value}m`
  if (name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')) return `${Math.round(value / 1024 ** 2)}Mi`
  return String(value)
}
