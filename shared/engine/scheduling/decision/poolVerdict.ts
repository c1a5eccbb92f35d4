/** Why a pool makes no machine for a pod: the first stage that refuses, with numbers. */
import { byText } from '../../../base/order.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../../model/labels.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import { conflicts, describeConflict, overlapConflicts, type RequirementConflict } from '../../../model/requirementConflict.ts'
import { intersectAll, type Requirements } from '../../../model/requirements.ts'
import { admittedOfferings } from '../../offering/admission.ts'
import { outOfQuota } from '../../offering/quotaShortage.ts'
import type { NodePoolOption } from '../candidates/plan.ts'
import { isWithin } from '../model/catalog/limits.ts'
import { minimumsOf, shortagesOf } from '../model/catalog/minValues.ts'
import { type NarrowedTemplate, offeringsOf, withConstraint } from '../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import type { Constraint } from '../model/pods/constraint.ts'
import type { RelaxedPod } from '../model/pods/podClass.ts'
import { hasBit } from '../model/quantities/bits.ts'
import { labelsMissingIn, taintsVerdict } from './lacking.ts'
import { type Asking, leftByNeighbours, neighbourVerdict, ruledDomains } from './neighbourVerdicts.ts'
import { roomOnInstanceType, roomsFor } from './room.ts'
import { overLimit } from './roomVerdicts.ts'
import { tellingOf } from './telling.ts'
import type { Verdict } from './verdict.ts'
import { contradiction, volumeClaimsOf, volumesElsewhere } from './volumeVerdicts.ts'

/** The pool's reason for refusing the class with these wishes; without wishes nothing is allowed. */
export function poolVerdict(poolOption: NodePoolOption, relaxedPod: RelaxedPod | undefined, asking: Asking): Verdict {
  if (relaxedPod === undefined) return NOTHING_ALLOWED
  const { pool } = poolOption.narrowedTemplate.template
  const tainted = taintsVerdict(pool.template.taints, [relaxedPod.constraint])
  if (tainted !== undefined) return tainted
  // Of several alternatives the one that came furthest says most.
  return relaxedPod.constraint.alternatives
    .map((wanted, index) => labelsVerdict(poolOption, relaxedPod, { wanted, own: ownOf(relaxedPod, index) }, asking))
    .reduce<Verdict>((best, each) => (tellingOf(each) > tellingOf(best) ? each : best), NOTHING_ALLOWED)
}

function labelsConflict(refused: readonly RequirementConflict[], known: Iterable<string>): Verdict {
  const hints = [...known]
  const message = refused.map((each) => describeConflict(each, hints)).join('; ')
  return { kind: 'labels', whose: 'pods', labels: refused.map(({ key }) => key), message }
}

const NOTHING_ALLOWED: Verdict = { kind: 'noTerm' }

/** What is asked of labels by pod and volumes together, and by the pod alone. */
type Asked = { readonly wanted: Requirements; readonly own: Requirements }

/** Each alternative of the pod's own comes with every alternative of its volumes. */
function ownOf({ constraint: { alternatives }, required }: RelaxedPod, index: number): Requirements {
  return required[Math.floor((index * required.length) / alternatives.length)] ?? new Map()
}

function labelsVerdict(poolOption: NodePoolOption, relaxedPod: RelaxedPod, { wanted, own }: Asked, asking: Asking): Verdict {
  const { template } = poolOption.narrowedTemplate
  const { pod } = asking.podClass
  const contradicted = contradiction(pod, wanted, own)
  if (contradicted !== undefined) return contradicted
  const refused = conflicts(template.requirements, wanted, UNDEFINED_ALLOWED_LABELS)
  if (refused.length > 0) {
    const isVolumes = conflicts(template.requirements, own, UNDEFINED_ALLOWED_LABELS).length === 0
    return isVolumes
      ? volumesElsewhere(pod, refused)
      : labelsConflict(refused, [...UNDEFINED_ALLOWED_LABELS, ...template.requirements.keys()])
  }
  const requirements = intersectAll(template.requirements, wanted)
  const sizes = template.sizes.filter((size) => size !== undefined)
  const compatible = sizes.filter((size) => overlapConflicts(size.requirements, requirements).length === 0)
  const looked = (compatible.length > 0 ? compatible : sizes).map(({ type }) => type)
  const short = outOfQuota(looked, requirements)
  if (short !== undefined) return { kind: 'quota', code: short.code, message: short.message, ...short.fields }
  if (compatible.length > 0) return roomVerdict(poolOption, relaxedPod, { compatible, wanted, own }, asking)
  const withoutVolumes = intersectAll(template.requirements, own)
  const isVolumes = sizes.some((size) => overlapConflicts(size.requirements, withoutVolumes).length === 0)
  return {
    kind: 'sizes',
    whose: isVolumes ? 'volumes' : 'pods',
    instanceTypes: sizes.length,
    lacking: labelsMissingIn(sizes, requirements, wanted),
    volumeClaims: isVolumes ? volumeClaimsOf(pod) : [],
  }
}

type Compatible = Asked & { readonly compatible: readonly InstanceTypeOption[] }

function roomVerdict(poolOption: NodePoolOption, relaxedPod: RelaxedPod, { compatible, wanted, own }: Compatible, asking: Asking): Verdict {
  const { podClass, plan, axes } = asking
  const { narrowedTemplate, limits } = poolOption
  const offered = offeredBy(narrowedTemplate, { ...wanting(relaxedPod, wanted), hostPorts: [], apartFrom: [] }, compatible)
  if (offered.length === 0)
    return { kind: 'offering', instanceTypes: compatible.length, ...refusalsOf(narrowedTemplate, compatible, wanted) }
  const load = { total: podClass.amounts, ports: podClass.hostPorts, pods: [relaxedPod.constraint] }
  const found = roomsFor(offered.map(roomOnInstanceType), load, axes)
  if ('verdict' in found) return found.verdict
  const large = found.left.map(({ size }) => size)
  const allowed = large.filter((size) => isWithin(size.type.capacity, limits.left))
  if (allowed.length === 0) return overLimit(large, poolOption)
  const [shortage] = plan.isStrict ? shortagesOf(minimumsOf(narrowedTemplate.template.requirements), allowed) : []
  if (shortage !== undefined) return { kind: 'minValues', label: shortage.key, wanted: shortage.wanted, had: shortage.had }
  const ruled = ruledDomains(narrowedTemplate, podClass, relaxedPod, plan)
  return (
    neighbourVerdict(ruled, relaxedPod, asking) ??
    verdictAmong(leftByNeighbours(ruled), poolOption, relaxedPod, { wanted, own }, asking) ?? { kind: 'noRoom' }
  )
}

/** What Azure refused of the offerings that would do. */
function refusalsOf(
  { template }: NarrowedTemplate,
  sizes: readonly InstanceTypeOption[],
  wanted: Requirements,
): { readonly refusals?: readonly ProblemCode[] } {
  const requirements = intersectAll(template.requirements, wanted)
  const codes = sizes.flatMap(({ type }) =>
    admittedOfferings(requirements, type).flatMap((offering) => template.catalog.refusalOf(type, offering) ?? []),
  )
  return codes.length === 0 ? {} : { refusals: [...new Set(codes)].sort(byText) }
}

/** Where neighbours let it go, something else may be in the way. */
function verdictAmong(
  left: Requirements,
  poolOption: NodePoolOption,
  relaxedPod: RelaxedPod,
  asked: Asked,
  asking: Asking,
): Verdict | undefined {
  if (left.size === 0) return undefined
  const wanted = intersectAll(asked.wanted, left)
  const there: NodePoolOption = { ...poolOption, narrowedTemplate: unremembering(poolOption.narrowedTemplate) }
  const verdict = labelsVerdict(there, { ...relaxedPod, constraint: wanting(relaxedPod, wanted) }, { ...asked, wanted }, asking)
  if (verdict.kind === 'noRoom') return undefined
  return { kind: 'neighboursLeave', domains: [...left.values()].map(({ key, values }) => ({ label: key, values })), verdict }
}

/** Its constraint with this alternative alone: no plan knows it, and no narrowed template must remember it. */
function wanting({ constraint }: RelaxedPod, wanted: Requirements): Constraint {
  return { ...constraint, id: NO_ID, alternatives: [wanted] }
}

const NO_ID = -1

function unremembering(narrowedTemplate: NarrowedTemplate): NarrowedTemplate {
  return { ...narrowedTemplate, added: new Map() }
}

/** Those of the sizes of which the constraint leaves an offering. */
function offeredBy(
  narrowedTemplate: NarrowedTemplate,
  constraint: Constraint,
  sizes: readonly InstanceTypeOption[],
): readonly InstanceTypeOption[] {
  const narrowed = withConstraint(unremembering(narrowedTemplate), constraint)
  if (narrowed === undefined) return []
  return sizes.filter((size) => hasBit(narrowedTemplate.types, size.index) && offeringsOf(narrowed, size).length > 0)
}
