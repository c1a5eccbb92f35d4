/** Why a NodePool makes no machine for a pod: the verdict of the first check that refuses, with its numbers. */
import { byText } from '../../../base/lists.ts'
import { defined, ownValue } from '../../../base/values.ts'
import type { InstanceType } from '../../../model/instanceType.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../../model/labels.ts'
import {
  conflicts,
  describeConflict,
  describeRequirement,
  overlapConflicts,
  type RequirementConflict,
} from '../../../model/requirementConflict.ts'
import { has, intersectAll, type Requirements } from '../../../model/requirements.ts'
import { labelValues } from '../../offering/possibleSizes.ts'
import { outOfQuota } from '../../offering/quota.ts'
import { askedAgain } from '../../offering/shortSizes.ts'
import { admittedOfferings, requirementMap } from '../../offering/usableOfferings.ts'
import type { NodePoolOption } from '../candidates/plan.ts'
import { isWithin } from '../model/catalog/limits.ts'
import { type NarrowedTemplate, offeringsOf, withConstraint, withValue } from '../model/catalog/narrowedTemplate.ts'
import { minimumsOf, shortagesOf } from '../model/catalog/sizePrices.ts'
import type { InstanceTypeOption, Template } from '../model/catalog/template.ts'
import type { Constraint, PoolRefusal, RelaxedPod } from '../model/pods/constraint.ts'
import { hasBit } from '../model/quantities/amounts.ts'
import {
  type Asking,
  contradiction,
  leftByNeighbours,
  neighbourVerdict,
  type Ruled,
  ruledDomains,
  volumeClaimsOf,
  volumesElsewhere,
} from './neighbourVerdicts.ts'
import { labelsMissingIn, leastMissing, taintsVerdict } from './noClaim.ts'
import { type RoomVerdict, roomOnInstanceType, roomsFor } from './room.ts'
import { type Lacking, overLimit, type Verdict } from './verdict.ts'
import { verdictRank } from './verdictOrder.ts'

/** The verdict of a NodePool that refuses the pods of the class. Without a relaxed pod no term of their node affinity can be met. */
export function poolVerdict(poolOption: NodePoolOption, relaxedPod: RelaxedPod | undefined, asking: Asking): Verdict {
  if (relaxedPod === undefined) return NOTHING_ALLOWED
  const { pool } = poolOption.narrowedTemplate.template
  const tainted = taintsVerdict(pool.template.taints, [relaxedPod.constraint])
  if (tainted !== undefined) return tainted
  const refusal = relaxedPod.constraint.refusals.find((each) => each.pool === pool.name)
  if (refusal !== undefined) return claimVerdict(refusal)
  return relaxedPod.constraint.alternatives
    .map((wanted, index) => labelsVerdict(poolOption, relaxedPod, { wanted, own: ownOf(relaxedPod, index) }, asking))
    .reduce<Verdict>((best, each) => (verdictRank(each) > verdictRank(best) ? each : best), NOTHING_ALLOWED)
}

/** The verdict on labels of the pod that the NodePool does not admit. `known`: labels that a misspelt label may have meant. */
function labelsConflict(refused: readonly RequirementConflict[], known: Iterable<string>): Verdict {
  const hints = [...known]
  const message = refused.map((each) => describeConflict(each, hints)).join('; ')
  return { kind: 'labels', whose: 'pods', labels: refused.map(({ key }) => key), message }
}

function claimVerdict({ code, message, until }: PoolRefusal): Verdict {
  return { kind: 'claim', code, message, ...defined({ until }) }
}

const NOTHING_ALLOWED: Verdict = { kind: 'noTerm' }

/** Required labels: `wanted` by the pod and its volumes together, `own` by the pod alone. */
type Asked = { readonly wanted: Requirements; readonly own: Requirements }

/** The alternative of the pod that the alternative at `index` was made of. Each alternative of the pod is combined with each of its volumes. */
function ownOf({ constraint: { alternatives }, wanted }: RelaxedPod, index: number): Requirements {
  return wanted[Math.floor((index * wanted.length) / alternatives.length)] ?? new Map()
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
  if (compatible.length > 0) return verdictOfCompatible(poolOption, relaxedPod, { compatible, wanted, own }, asking)
  const withoutVolumes = intersectAll(template.requirements, own)
  const isVolumes = sizes.some((size) => overlapConflicts(size.requirements, withoutVolumes).length === 0)
  return {
    kind: 'sizes',
    whose: isVolumes ? 'volumes' : 'pods',
    instanceTypes: sizes.length,
    lacking: labelsMissingIn(sizes, requirements, wanted).map((each) => withRegion(each, wanted, template)),
    volumeClaims: isVolumes ? volumeClaimsOf(pod) : [],
  }
}

/** Adds the values of the region to a label whose value no size of the region has. */
function withRegion(lacking: Lacking, wanted: Requirements, { catalog }: Template): Lacking {
  const asked = wanted.get(lacking.label)
  const inRegion = labelValues(
    catalog.types.map(({ type }) => type),
    lacking.label,
  )
  const isUnknown = lacking.there.length > 0 && asked !== undefined && !inRegion.some((value) => has(asked, value))
  return isUnknown ? { ...lacking, inRegion } : lacking
}

type Compatible = Asked & { readonly compatible: readonly InstanceTypeOption[] }

function verdictOfCompatible(
  poolOption: NodePoolOption,
  relaxedPod: RelaxedPod,
  { compatible, wanted, own }: Compatible,
  asking: Asking,
): Verdict {
  const { podClass, plan, axes } = asking
  const { narrowedTemplate, limits } = poolOption
  const constraint = { ...withAlternative(relaxedPod, wanted), hostPorts: [], apartFrom: [] }
  const narrowed = withConstraint(withEmptyCache(narrowedTemplate), constraint)
  const offered = compatible.filter((size) => narrowed !== undefined && isOffered(narrowed, size))
  if (narrowed === undefined || offered.length === 0)
    return { kind: 'offering', instanceTypes: compatible.length, ...refusalsOf(narrowedTemplate, compatible, wanted) }
  const load = { total: podClass.amounts, ports: podClass.hostPorts, pods: [relaxedPod.constraint] }
  const found = roomsFor(offered.map(roomOnInstanceType), load, axes)
  if ('verdict' in found) return deviceVerdict(found.verdict, offered, { template: narrowedTemplate.template, own }) ?? found.verdict
  const large = found.left.map(({ size }) => size)
  const allowed = large.filter((size) => isWithin(size.type.capacity, limits.left))
  if (allowed.length === 0) return overLimit(large, poolOption)
  const short = shortIn(narrowed, allowed, plan)
  if (short !== undefined) return short
  const ruled = ruledByAlternative(narrowedTemplate, relaxedPod, wanted, asking)
  return (
    neighbourVerdict(ruled, relaxedPod, asking) ??
    verdictWhereLeft(leftByNeighbours(ruled), poolOption, relaxedPod, { wanted, own }, asking) ??
    shortInOneDomain(narrowed, allowed, ruled, plan) ?? { kind: 'noRoom' }
  )
}

function isOffered(narrowed: NarrowedTemplate, size: InstanceTypeOption): boolean {
  return hasBit(narrowed.types, size.index) && offeringsOf(narrowed, size).length > 0
}

type Strictness = Pick<Asking['plan'], 'isStrict'>

/** The label of which the sizes have too few values for the NodePool. Undefined if the NodePool does without. */
function shortIn(narrowed: NarrowedTemplate, sizes: readonly InstanceTypeOption[], { isStrict }: Strictness): Verdict | undefined {
  if (!isStrict) return undefined
  const [shortage] = shortagesOf(minimumsOf(narrowed.template.requirements), narrowed, sizes)
  return shortage && { kind: 'minValues', label: shortage.key, wanted: shortage.wanted, had: shortage.had }
}

/** The same, where a rule about neighbours holds a new machine to one of the domains that it allows. */
function shortInOneDomain(
  narrowed: NarrowedTemplate,
  sizes: readonly InstanceTypeOption[],
  ruled: readonly Ruled[],
  plan: Strictness,
): Verdict | undefined {
  for (const { group, picksOne, allowed } of ruled) {
    if (group.isHost || !picksOne) continue
    const verdicts = allowed.flatMap((domain) => {
      const there = withValue(narrowed, group.key, domain)
      return there === undefined ? [] : [shortIn(there, sizes, plan)]
    })
    if (verdicts.every((each) => each !== undefined) && verdicts[0] !== undefined) return verdicts[0]
  }
  return undefined
}

/** The rules about neighbours with the domains of this alternative. Other alternatives of the pod may be met in other domains. */
function ruledByAlternative(narrowedTemplate: NarrowedTemplate, relaxedPod: RelaxedPod, wanted: Requirements, { podClass, plan }: Asking) {
  if (relaxedPod.constraint.alternatives.length === 1) return ruledDomains(narrowedTemplate, podClass, relaxedPod, plan)
  return ruledDomains(withEmptyCache(narrowedTemplate), podClass, { ...relaxedPod, constraint: withAlternative(relaxedPod, wanted) }, plan)
}

/** The codes of what Azure refused lately, of the offerings that the pod could use, and when Azure is asked again. */
function refusalsOf(
  { template }: NarrowedTemplate,
  sizes: readonly InstanceTypeOption[],
  wanted: Requirements,
): Pick<Extract<Verdict, { kind: 'offering' }>, 'refusals' | 'askedAgain'> {
  const requirements = intersectAll(template.requirements, wanted)
  const refusals = sizes.flatMap(({ type }) =>
    admittedOfferings(requirements, type).flatMap((offering) => template.catalog.refusalOf(type, offering) ?? []),
  )
  if (refusals.length === 0) return {}
  const codes = [...new Set(refusals.map(({ code }) => code))].sort(byText)
  return defined({ refusals: codes, askedAgain: askedAgain(refusals.filter((each) => 'until' in each)) })
}

/** The verdict in the domains that rules about neighbours leave. Undefined if the rules narrow nothing, or if nothing else refuses there. */
function verdictWhereLeft(
  left: Requirements,
  poolOption: NodePoolOption,
  relaxedPod: RelaxedPod,
  asked: Asked,
  asking: Asking,
): Verdict | undefined {
  if (left.size === 0) return undefined
  const [wanted, own] = [intersectAll(asked.wanted, left), intersectAll(asked.own, left)]
  const there: NodePoolOption = { ...poolOption, narrowedTemplate: withEmptyCache(poolOption.narrowedTemplate) }
  const verdict = labelsVerdict(there, { ...relaxedPod, constraint: withAlternative(relaxedPod, wanted) }, { wanted, own }, asking)
  if (verdict.kind === 'noRoom') return undefined
  return { kind: 'neighboursLeave', domains: [...left.values()].map(({ key, values }) => ({ label: key, values })), verdict }
}

/** The constraint with one alternative only. It has no id of the plan, so that no narrowed template may keep it in its cache. */
function withAlternative({ constraint }: RelaxedPod, wanted: Requirements): Constraint {
  return { ...constraint, id: NO_ID, alternatives: [wanted] }
}

const NO_ID = -1

function withEmptyCache(narrowedTemplate: NarrowedTemplate): NarrowedTemplate {
  return { ...narrowedTemplate, added: new Map() }
}

/**
 * The verdict on a resource that no instance type has which the pod may use: a GPU, or another device. Undefined if some of the sizes has the
 * resource that the verdict is about. `own`: the required labels of the pod.
 */
function deviceVerdict(
  verdict: RoomVerdict,
  sizes: readonly InstanceTypeOption[],
  { template, own }: { readonly template: Template; readonly own: Requirements },
): Verdict | undefined {
  if (verdict.kind !== 'amount' || sizes.some(({ type }) => offers(type, verdict.resource))) return undefined
  const { resource, asked } = verdict
  const having = template.catalog.types.map(({ type }) => type).filter((type) => offers(type, resource))
  const leftOutBy = leastMissing(
    having.map((type) => requirementMap(type.requirements)),
    (type) => [
      ...overlapConflicts(type, own).map(({ incoming }) => ({ whose: 'pods' as const, asked: describeRequirement(incoming) })),
      ...overlapConflicts(type, template.requirements).map(({ incoming }) => ({
        whose: 'pool' as const,
        asked: describeRequirement(incoming),
      })),
    ],
  )
  const families = [...new Set(having.map(familyOf))].sort(byText)
  return { kind: 'device', resource, asked, instanceTypes: sizes.length, families, ...(leftOutBy.length === 0 ? {} : { leftOutBy }) }
}

function offers({ capacity, offerings }: InstanceType, resource: string): boolean {
  return [capacity, ...offerings.map((each) => each.capacity ?? {})].some((each) => (ownValue(each, resource) ?? 0) > 0)
}

/** The value of the label for the family, which a requirement names. Without the label: the name of the size. */
function familyOf({ name, requirements }: InstanceType): string {
  return requirements.find(({ key }) => key === FAMILY_LABEL)?.values[0] ?? name
}

const FAMILY_LABEL = 'karpenter.azure.com/sku-family'
