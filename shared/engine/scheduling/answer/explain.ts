/** Why a pod got no place, pool by pool: the first stage that refuses, with numbers. */
import { byText } from '../../../base/order.ts'
import type { Reason } from '../../../model/decision.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../../model/labels.ts'
import { conflicts, describeConflict, overlapConflicts } from '../../../model/requirementConflict.ts'
import { intersectAll, type Requirements } from '../../../model/requirements.ts'
import { formatTaint, untolerated } from '../../../model/taint.ts'
import { outOfQuota } from '../../offering/quotaShortage.ts'
import { type Amounts, type Axes, fitsWithin } from '../amounts.ts'
import { hasBit } from '../bits.ts'
import { type Combination, offeringsOf, withConstraint } from '../catalog/combination.ts'
import { isWithin } from '../catalog/limits.ts'
import { minimumsOf, shortagesOf } from '../catalog/minValues.ts'
import type { Size } from '../catalog/template.ts'
import { openBin } from '../hosts/bin.ts'
import { domainsIn } from '../hosts/domains.ts'
import type { Plan, Start } from '../plan.ts'
import { portsClash } from '../pods/hostPorts.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import type { Group } from '../topology/group.ts'
import { allowances } from '../topology/rules.ts'
import { overLimit, tooSmall, type Verdict } from './explainRoom.ts'

/** The pool's reason for refusing the class even with everything given up that it can give up, once the plan has been made. */
export function explainPool(start: Start, podClass: PodClass, plan: Plan, axes: Axes): Reason {
  const { template } = start.combination
  const variant = podClass.variants.at(-1)
  const { code, message, fields } = variant === undefined ? NOTHING_ALLOWED : verdictOf(start, podClass, variant, plan, axes)
  return { code, subject: { kind: 'nodePool', name: template.pool.name }, message, ...(fields === undefined ? {} : { fields }) }
}

const NOTHING_ALLOWED: Verdict = { stage: -1, code: 'SCHEDULING.REQUIREMENT', message: 'its required node affinity matches no node at all' }

function verdictOf(start: Start, podClass: PodClass, variant: Variant, plan: Plan, axes: Axes): Verdict {
  const { pool } = start.combination.template
  const intolerable = untolerated(pool.template.taints, variant.constraint.tolerations)
  if (intolerable.length > 0) {
    return { stage: 0, code: 'SCHEDULING.TAINT', message: `does not tolerate taint ${intolerable.map(formatTaint).join(', ')}` }
  }
  // Of several alternatives the one that came furthest says most.
  return variant.constraint.alternatives
    .map((wanted, index) => labelsVerdict(start, podClass, variant, { wanted, own: ownOf(variant, index) }, plan, axes))
    .reduce<Verdict>((best, each) => (each.stage > best.stage ? each : best), NOTHING_ALLOWED)
}

/** What is asked of labels by pod and volumes together, and by the pod alone. */
type Asked = { readonly wanted: Requirements; readonly own: Requirements }

/** Each alternative of the pod's own comes with every alternative of its volumes. */
function ownOf({ constraint: { alternatives }, required }: Variant, index: number): Requirements {
  return required[Math.floor((index * required.length) / alternatives.length)] ?? new Map()
}

function labelsVerdict(start: Start, podClass: PodClass, variant: Variant, { wanted, own }: Asked, plan: Plan, axes: Axes): Verdict {
  const { template } = start.combination
  const refused = conflicts(template.requirements, wanted, UNDEFINED_ALLOWED_LABELS)
  if (refused.length > 0) {
    const isVolumes = conflicts(template.requirements, own, UNDEFINED_ALLOWED_LABELS).length === 0
    const known = [...UNDEFINED_ALLOWED_LABELS, ...template.requirements.keys()]
    const message = refused.map((each) => describeConflict(each, known)).join('; ')
    if (isVolumes) return { stage: 1, code: 'SCHEDULING.VOLUME', message: `its volumes are elsewhere: ${message}` }
    return { stage: 1, code: 'SCHEDULING.REQUIREMENT', message }
  }
  const requirements = intersectAll(template.requirements, wanted)
  const sizes = template.sizes.filter((size) => size !== undefined)
  const compatible = sizes.filter((size) => overlapConflicts(size.requirements, requirements).length === 0)
  const withoutVolumes = intersectAll(template.requirements, own)
  const short =
    compatible.length > 0
      ? outOfQuota(
          compatible.map(({ type }) => type),
          requirements,
        )
      : outOfQuota(
          sizes.map(({ type }) => type),
          requirements,
        )
  if (short !== undefined) return { stage: 3, ...short }
  if (compatible.length === 0 && sizes.some((size) => overlapConflicts(size.requirements, withoutVolumes).length === 0)) {
    const message = `none of its ${sizes.length} instance types is where all volumes of the pod are and where the pod may run`
    return { stage: 2, code: 'SCHEDULING.VOLUME', message }
  }
  if (compatible.length === 0) {
    const message = `none of its ${sizes.length} instance types meets the pod's requirements`
    return { stage: 2, code: 'SCHEDULING.REQUIREMENT', message }
  }
  return roomVerdict(start, podClass, variant, { compatible, wanted }, plan, axes)
}

type Compatible = { readonly compatible: readonly Size[]; readonly wanted: Requirements }

function roomVerdict(
  start: Start,
  podClass: PodClass,
  variant: Variant,
  { compatible, wanted }: Compatible,
  plan: Plan,
  axes: Axes,
): Verdict {
  const { combination, limits } = start
  const { template } = combination
  const alone: Variant = { ...variant, constraint: { ...variant.constraint, id: NO_ID, alternatives: [wanted], hostPorts: [] } }
  const offered = offeredBy(combination, alone, compatible)
  if (offered.length === 0) {
    const message = `none of ${compatible.length} instance types can be bought now in the zones and capacity types allowed`
    return { stage: 3, code: 'SCHEDULING.OFFERING', message, fields: { instanceTypes: compatible.length } }
  }
  const large = offered.filter((size) => size.isUsable && fitsWithin(NOTHING, podClass.amounts, size.free))
  if (large.length === 0) return tooSmall(offered, podClass.amounts, axes)
  if (large.every((size) => portsClash(size.daemonPorts, podClass.hostPorts))) {
    const message = `a daemon takes the host port ${podClass.hostPorts.map((each) => each.port).join(', ')} on every instance type that fits`
    return { stage: 4, code: 'SCHEDULING.PORT', message }
  }
  const allowed = large.filter((size) => isWithin(size.type.capacity, limits.left))
  if (allowed.length === 0) return overLimit(large, start)
  const [shortage] = plan.isStrict ? shortagesOf(minimumsOf(template.requirements), allowed) : []
  if (shortage !== undefined) {
    const { key, wanted: least, had } = shortage
    const message = `needs ${least} values of ${key}, had ${had}`
    return { stage: 6, code: 'SCHEDULING.MIN_VALUES', message, fields: { label: key, wanted: least, had } }
  }
  return neighbourVerdict(combination, podClass, variant, plan) ?? NO_ROOM
}

const NO_ROOM: Verdict = { stage: 8, code: 'SCHEDULING.RESOURCES', message: 'no room was left in this decision' }
const NO_ID = -1
const NOTHING: Amounts = new Float64Array()

/** Those of the sizes of which the constraint leaves an offering. */
function offeredBy(combination: Combination, { constraint }: Variant, sizes: readonly Size[]): readonly Size[] {
  const narrowed = withConstraint({ ...combination, added: new Map() }, constraint)
  if (narrowed === undefined) return []
  return sizes.filter((size) => hasBit(combination.types, size.index) && offeringsOf(narrowed, size).length > 0)
}

/** The rule about neighbours that no domain of the pool's machines meets. */
function neighbourVerdict(combination: Combination, podClass: PodClass, variant: Variant, plan: Plan): Verdict | undefined {
  const narrowed = withConstraint(combination, variant.constraint)
  if (narrowed === undefined) return undefined
  const bin = openBin(plan.bins.length, { combination: narrowed, minimums: new Map(), ceiling: undefined, charge: {} }, plan.axes)
  for (const { group, allows } of allowances(podClass, variant)) {
    const domains = group.isHost ? [bin.name] : domainsIn(narrowed, group.key)
    if (domains.some(allows)) continue
    return { stage: 7, ...describeGroup(group, domains) }
  }
  return undefined
}

function describeGroup(group: Group, domains: readonly string[]): Pick<Verdict, 'code' | 'message'> {
  const where = domains.length === 0 ? 'no machine of the pool has that label' : `not in ${domains.slice(0, SHOWN).join(', ')}`
  const counts = [...group.selected].filter(([, count]) => count > 0).sort(([first], [second]) => byText(first, second))
  const seen = counts.slice(0, SHOWN).map(([domain, count]) => `${domain}: ${count}`)
  const counted = seen.length === 0 ? 'no pod counts yet' : `pods counted: ${seen.join(', ')}${counts.length > SHOWN ? ', ...' : ''}`
  switch (group.kind) {
    case 'spread':
      return {
        code: 'SCHEDULING.SPREAD',
        message: `topology spread over ${group.key} with maxSkew ${group.maxSkew}: ${where} (${counted})`,
      }
    case 'affinity':
      return { code: 'SCHEDULING.AFFINITY', message: `pod affinity over ${group.key}: ${where} (${counted})` }
    case 'antiAffinity':
      return { code: 'SCHEDULING.ANTI_AFFINITY', message: `pod anti-affinity over ${group.key}: ${where} (${counted})` }
  }
}

const SHOWN = 5
