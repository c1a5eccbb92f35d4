/** Why an offering does not become the machine of a claim that is planned: the first thing that stands in the way. */
import { UNDEFINED_ALLOWED_LABELS } from '../../../model/labels.ts'
import { conflicts, describeRequirements, overlapConflicts, type RequirementConflict } from '../../../model/requirementConflict.ts'
import { has, intersectAll, type Requirement, type Requirements } from '../../../model/requirements.ts'
import { add } from '../../../model/resources.ts'
import { formatTaint, type Taint, untolerated } from '../../../model/taint.ts'
import { labelsOfMachine } from '../../offering/admission.ts'
import { blockOf } from '../../offering/usableOfferings.ts'
import type { NodePoolOption } from '../candidates/plan.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import { labelsMissingIn } from '../decision/lacking.ts'
import { neighboursOf } from '../decision/neighboursOf.ts'
import { overLimit } from '../decision/roomVerdicts.ts'
import type { Verdict, Whose } from '../decision/verdict.ts'
import { isWithin } from '../model/catalog/limits.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import type { Bin, BinContent } from '../model/nodes/bin.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { PoolOffering } from './cheaper.ts'
import type { NotTaken } from './explanation.ts'
import { type Load, refusedBySize } from './refusedBySize.ts'

export function whyNotForBin(offer: PoolOffering, bin: Bin, { problem, plan }: Provisioning): NotTaken {
  const { template, index, type, offering } = offer
  const machine = labelsOfMachine(type, offering)
  const size = template.sizes[index]
  const placement = problem.context.settings.placement ?? 'price'
  return (
    taintsOf(offer, bin) ??
    refusedByPool(offer, machine, size) ??
    refusedByPods(bin, intersectAll(template.requirements, machine)) ??
    refusedBySize(loadOf(bin), size, problem.axes) ??
    movedBy(bin, machine) ??
    notForSale(offer, problem.context) ??
    limitOf(offer, bin, size, plan.poolOptions) ??
    weightOf(offer, bin) ?? { kind: 'plan', placement }
  )
}

/** What keeps anybody from buying it now. */
export function notForSale(
  { type, offering }: PoolOffering,
  { unavailable, takenAt }: Pick<DecisionContext, 'unavailable' | 'takenAt'>,
): NotTaken | undefined {
  const block = blockOf(type, offering, unavailable, takenAt)
  if (block !== undefined) return { kind: 'blocked', code: block.code, until: block.until, message: block.message }
  if (offering.shortOf !== undefined) {
    const { code, quota, region, limit, used } = offering.shortOf
    return { kind: 'quota', code, quota, region, limit, used, message: `${quota} in ${region} has ${used} of ${limit} cores in use` }
  }
  if (offering.reservation !== undefined && offering.reservation.remaining <= 0) {
    return { kind: 'reservation', reservation: offering.reservation.id }
  }
  return offering.available ? undefined : { kind: 'offering' }
}

/** What the pool asks for and the machine has not. */
export function refusedByPool(
  { template, offering }: PoolOffering,
  machine: Requirements,
  size: InstanceTypeOption | undefined,
): Verdict | undefined {
  const missing = overlapConflicts(machine, template.requirements).map(({ incoming }) => incoming)
  if (missing.length > 0) return asksFor('pool', missing)
  const unknown = offering.requirements.find(({ key }) => !UNDEFINED_ALLOWED_LABELS.has(key) && !template.requirements.has(key))
  if (unknown !== undefined) {
    return { kind: 'labels', whose: 'pool', labels: [unknown.key], message: `the nodepool says nothing of ${unknown.key}` }
  }
  return size === undefined
    ? {
        kind: 'sizes',
        whose: 'pods',
        instanceTypes: 1,
        lacking: labelsMissingIn([{ requirements: machine }], template.requirements, template.requirements),
        volumeClaims: [],
      }
    : undefined
}

export function asksFor(whose: Whose, wanted: readonly Requirement[]): Verdict {
  const message = `${ASKING[whose]} ${describeRequirements(new Map(wanted.map((each) => [each.key, each])))}`
  return { kind: 'labels', whose, labels: wanted.map(({ key }) => key), message }
}

const ASKING = {
  pool: 'the nodepool asks for',
  pods: 'its pods ask for',
  volumes: 'the volumes of its pods ask for',
  claim: 'the claim asks for',
} as const

function taintsOf({ template }: PoolOffering, { contents }: Bin): Verdict | undefined {
  return taintsVerdict(contents.flatMap(({ relaxedPod }) => untolerated(template.pool.template.taints, relaxedPod.constraint.tolerations)))
}

/** Undefined: none is in the way. */
export function taintsVerdict(refused: readonly Taint[]): Extract<Verdict, { readonly kind: 'taints' }> | undefined {
  return refused.length === 0 ? undefined : { kind: 'taints', taints: [...new Set(refused.map(formatTaint))] }
}

function refusedByPods({ contents }: Bin, machine: Requirements): Verdict | undefined {
  for (const { relaxedPod } of contents) {
    const missing = missingOf(relaxedPod.constraint.alternatives, machine)
    if (missing.length === 0) continue
    return asksFor(
      missingOf(relaxedPod.required, machine).length === 0 ? 'volumes' : 'pods',
      missing.map(({ incoming }) => incoming),
    )
  }
  return undefined
}

/** What the machine lacks of the alternative that it comes closest to. */
function missingOf(alternatives: readonly Requirements[], machine: Requirements): readonly RequirementConflict[] {
  const [least = []] = alternatives
    .map((wanted) => conflicts(machine, wanted, UNDEFINED_ALLOWED_LABELS))
    .sort((one, other) => one.length - other.length)
  return least
}

/** What the pods of the claim take together. */
function loadOf({ total, ports, contents }: Bin): Load {
  return { total, ports, apart: contents.map(({ relaxedPod }) => relaxedPod.constraint) }
}

/** A rule about neighbours holds the claim to other domains than the machine's. */
function movedBy({ contents, narrowedTemplate }: Bin, machine: Requirements): Verdict | undefined {
  for (const [key, held] of narrowedTemplate.requirements) {
    const [value, ...others] = machine.get(key)?.values ?? []
    if (value === undefined || others.length > 0 || has(held, value)) continue
    const group = contents.flatMap(groupsOf).find((each) => each.key === key)
    if (group !== undefined) return neighboursOf(group, [value])
  }
  return undefined
}

/** Rules of its own before those that merely count it. */
function groupsOf({ podClass, relaxedPod }: BinContent): readonly TopologyGroup[] {
  return [...relaxedPod.spread, ...relaxedPod.affinity, ...relaxedPod.antiAffinity, ...podClass.repelledBy, ...podClass.counted]
}

/** Beside all other machines of the plan. */
function limitOf(
  { template, offering }: PoolOffering,
  bin: Bin,
  size: InstanceTypeOption | undefined,
  poolOptions: readonly NodePoolOption[],
): Verdict | undefined {
  const own = poolOptions.filter(({ narrowedTemplate }) => narrowedTemplate.template === template)
  const poolOption = own.find(({ reservation }) => reservation?.id === offering.reservation?.id) ?? own[0]
  if (size === undefined || poolOption?.limits.left === undefined) return undefined
  const isOwn = bin.narrowedTemplate.template === template
  const left = isOwn ? add(poolOption.limits.left, onlyOf(bin.charge, Object.keys(poolOption.limits.left))) : poolOption.limits.left
  if (isWithin(size.type.capacity, left)) return undefined
  const { limits, ...rest } = poolOption
  return overLimit([size], { ...rest, limits: { ...limits, left } })
}

function onlyOf(amounts: Bin['charge'], names: readonly string[]): Bin['charge'] {
  return Object.fromEntries(names.map((name) => [name, amounts[name] ?? 0]))
}

function weightOf({ template }: PoolOffering, { narrowedTemplate }: Bin): NotTaken | undefined {
  const chosen = narrowedTemplate.template.weight
  return template.weight < chosen ? { kind: 'weight', weight: template.weight, chosen } : undefined
}
