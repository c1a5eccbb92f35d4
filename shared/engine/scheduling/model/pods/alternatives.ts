/** Sets of requirements of which any one may be met. They are kept few, since each volume of a pod multiplies them. */
import { canonicalJson } from '../../../../base/canonicalJson.ts'
import { isSame } from '../../../../base/isSame.ts'
import { byText } from '../../../../base/order.ts'
import { overlapConflicts } from '../../../../model/requirementConflict.ts'
import { intersect, intersectAll, type Requirement, type Requirements } from '../../../../model/requirements.ts'

/** The most alternatives that are kept, to bound the time of a decision. Volumes that ask only for zones and host names never reach this number. */
const MOST = 64
/** The most alternatives that are compared with each other. */
const MOST_COMPARED = 256

/** The alternatives that meet one of the first and one of the second. Empty if no two of them can be met together. */
export function both(first: readonly Requirements[], second: readonly Requirements[]): readonly Requirements[] {
  const pairs = first.flatMap((one) =>
    second.flatMap((other) => (overlapConflicts(one, other).length > 0 ? [] : [intersectAll(one, other)])),
  )
  return withoutNarrower(pairs).slice(0, MOST)
}

/** Drops the alternatives that another alternative covers. */
export function withoutNarrower(alternatives: readonly Requirements[]): readonly Requirements[] {
  if (alternatives.length < 2) return alternatives
  const distinct = [...new Map(alternatives.map((each) => [textOf([...each.values()]), each])).values()].slice(0, MOST_COMPARED)
  return distinct.filter((each) => !distinct.some((other) => other !== each && isWithin(each, other)))
}

/** Joins alternatives that differ only in the values of one label. */
export function merged(alternatives: readonly Requirements[]): readonly Requirements[] {
  if (alternatives.length < 2) return alternatives
  const keys = [...new Set(alternatives.flatMap((each) => [...each.keys()]))].sort(byText)
  return withoutNarrower(keys.reduce(mergedBy, alternatives))
}

function mergedBy(alternatives: readonly Requirements[], key: string): readonly Requirements[] {
  const alike = Map.groupBy(alternatives, (each) => {
    const own = each.get(key)
    const others = [...each.values()].filter((other) => other !== own)
    return `${textOf(others)} ${own === undefined || isNamed(own) ? own === undefined : canonicalJson(own)}`
  })
  return [...alike.values()].flatMap(([first, ...others]) => {
    const own = first?.get(key)
    if (first === undefined || own === undefined || others.length === 0) return first ?? []
    const values = new Set([...own.values, ...others.flatMap((each) => each.get(key)?.values ?? [])])
    return [new Map([...first, [key, { ...own, values: [...values].sort(byText) }]])]
  })
}

/** Reports whether it is a plain list of values. */
function isNamed({ complement, values, minValues }: Requirement): boolean {
  return !complement && values.length > 0 && minValues === undefined
}

function textOf(requirements: readonly Requirement[]): string {
  return canonicalJson([...requirements].sort((one, other) => byText(one.key, other.key)))
}

/** Reports whether every node that meets `one` also meets `other`. */
function isWithin(one: Requirements, other: Requirements): boolean {
  if (other.size > one.size) return false
  for (const [key, wider] of other) {
    const narrower = one.get(key)
    if (narrower === undefined || !isSame(intersect(narrower, wider), narrower)) return false
  }
  return true
}
