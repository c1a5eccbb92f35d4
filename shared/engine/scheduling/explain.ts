/** Why a pod got no place, pool by pool: the first stage that refuses, with numbers. */
import { byText } from '../../base/order.ts'
import type { Reason } from '../../model/decision.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../model/labels.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { conflicts, describeConflict, overlapConflicts } from '../../model/requirementConflict.ts'
import { intersectAll, type Requirements } from '../../model/requirements.ts'
import { formatTaint, untolerated } from '../../model/taint.ts'
import { outOfQuota } from '../offering/quotaShortage.ts'
import type { Axes } from './amounts.ts'
import { fitsWithin } from './amounts.ts'
import type { Ground, Start } from './ground.ts'
import { isWithin } from './limits.ts'
import { minimumsOf, shortagesOf } from './minValues.ts'
import type { PodGroup } from './podGroups.ts'
import type { Size } from './template.ts'

type Verdict = {
  readonly stage: number
  readonly code: ProblemCode
  readonly message: string
  readonly fields?: NonNullable<Reason['fields']>
}

/** The pool's reason for refusing the group, given what the plan left of its limits. */
export function explainPool(start: Start, group: PodGroup, axes: Axes, { isStrict }: Pick<Ground, 'isStrict'>): Reason {
  const { template } = start.combination
  const intolerable = untolerated(template.pool.template.taints, group.constraint.tolerations)
  const verdicts =
    intolerable.length > 0
      ? [{ stage: 0, code: 'SCHEDULING.TAINT', message: `does not tolerate taint ${intolerable.map(formatTaint).join(', ')}` } as const]
      : group.constraint.alternatives.map((wanted) => verdictOf(start, group, wanted, axes, isStrict))
  // Of several alternatives the one that came furthest says most.
  const { code, message, fields } = verdicts.reduce<Verdict>((best, each) => (each.stage > best.stage ? each : best), NOTHING_ALLOWED)
  return { code, subject: { kind: 'nodePool', name: template.pool.name }, message, ...(fields === undefined ? {} : { fields }) }
}

const NOTHING_ALLOWED: Verdict = { stage: -1, code: 'SCHEDULING.REQUIREMENT', message: 'its required node affinity matches no node at all' }

function verdictOf({ combination, limits }: Start, group: PodGroup, wanted: Requirements, axes: Axes, isStrict: boolean): Verdict {
  const { template } = combination
  const refused = conflicts(template.requirements, wanted, UNDEFINED_ALLOWED_LABELS)
  if (refused.length > 0) {
    const known = [...UNDEFINED_ALLOWED_LABELS, ...template.requirements.keys()]
    return { stage: 1, code: 'SCHEDULING.REQUIREMENT', message: refused.map((each) => describeConflict(each, known)).join('; ') }
  }
  const requirements = intersectAll(template.requirements, wanted)
  const compatible = template.sizes.filter((size) => overlapConflicts(size.requirements, requirements).length === 0)
  if (compatible.length === 0) {
    const short = outOfQuota(typesOf(template.sizes), requirements)
    if (short !== undefined) return { stage: 3, ...short }
    return {
      stage: 2,
      code: 'SCHEDULING.REQUIREMENT',
      message: `none of its ${template.sizes.length} instance types meets the pod's requirements`,
    }
  }
  const offered = compatible.filter((size) =>
    size.offerings.some((each) => conflicts(requirements, each.requirements, UNDEFINED_ALLOWED_LABELS).length === 0),
  )
  if (offered.length === 0) {
    const short = outOfQuota(typesOf(compatible), requirements)
    if (short !== undefined) return { stage: 3, ...short }
    const message = `none of ${compatible.length} instance types can be bought now in the zones and capacity types allowed`
    return { stage: 3, code: 'SCHEDULING.OFFERING', message, fields: { instanceTypes: compatible.length } }
  }
  const large = offered.filter((size) => size.isUsable && fitsWithin([], group.amounts, size.free))
  if (large.length === 0) return tooSmall(offered, group, axes)
  const allowed = large.filter((size) => isWithin(size.type.capacity, limits.left))
  if (allowed.length === 0) return overLimit(large, limits.left ?? {})
  const [shortage] = isStrict ? shortagesOf(minimumsOf(template.requirements), allowed) : []
  if (shortage === undefined) return { stage: 7, code: 'SCHEDULING.RESOURCES', message: 'no room was left in this decision' }
  const { key, wanted: least, had } = shortage
  return {
    stage: 6,
    code: 'SCHEDULING.MIN_VALUES',
    message: `needs ${least} values of ${key}, had ${had}`,
    fields: { label: key, wanted: least, had },
  }
}

function typesOf(sizes: readonly Size[]): readonly InstanceType[] {
  return sizes.map(({ type }) => type)
}

/** Names the resource that the largest size is shortest of. */
function tooSmall(sizes: readonly Size[], group: PodGroup, axes: Axes): Verdict {
  const missing = axes.names.map((name, axis) => {
    const asked = group.amounts[axis] ?? 0
    const had = Math.max(0, ...sizes.map((size) => size.free[axis] ?? 0))
    return { name, asked, had, shortBy: asked - had }
  })
  const [worst] = missing.filter((each) => each.shortBy > 0).sort((first, second) => byText(first.name, second.name))
  if (worst === undefined) {
    return {
      stage: 4,
      code: 'SCHEDULING.RESOURCES',
      message: `none of ${sizes.length} instance types has enough of every resource at once`,
    }
  }
  const { name, asked, had, shortBy } = worst
  const message = `asked ${amount(name, asked)} ${name}, the largest of ${sizes.length} instance types has ${amount(name, had)} left for pods, short by ${amount(name, shortBy)}`
  return { stage: 4, code: 'SCHEDULING.RESOURCES', message, fields: { resource: name, asked, had, shortBy } }
}

function overLimit(sizes: readonly Size[], left: NonNullable<Start['limits']['left']>): Verdict {
  const names = Object.keys(left).sort()
  const needOf = (size: Size, name: string): number => (name === 'nodes' ? 1 : (size.type.capacity[name] ?? 0))
  const name = names.find((each) => sizes.every((size) => needOf(size, each) > (left[each] ?? 0))) ?? names[0] ?? 'cpu'
  const asked = Math.min(...sizes.map((size) => needOf(size, name)))
  const had = left[name] ?? 0
  const message = `limit of ${name}: ${amount(name, Math.max(0, had))} left, the smallest machine that fits needs ${amount(name, asked)}`
  return { stage: 5, code: 'POOL.LIMIT', message, fields: { resource: name, asked, had, shortBy: asked - had } }
}

/** As a manifest would write it. */
function amount(name: string, value: number): string {
  if (name === 'cpu') return value % 1000 === 0 ? String(value / 1000) : `${value}m`
  if (name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')) return `${Math.round(value / 1024 ** 2)}Mi`
  return String(value)
}
