/** Why an offering does not become the machine of a claim that the decision makes, and reasons that hold for any machine. */
import { defined, ownValue } from '../../../base/values.ts'
import type { DecisionContext } from '../../../model/clusterSnapshot.ts'
import type { CreateClaim } from '../../../model/decision.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../../model/labels.ts'
import { timesRefused } from '../../../model/refusalGrowth.ts'
import { conflicts, describeRequirements, overlapConflicts, type RequirementConflict } from '../../../model/requirementConflict.ts'
import { has, intersectAll, type Requirement, type Requirements } from '../../../model/requirements.ts'
import { add } from '../../../model/resources.ts'
import { demotionOf } from '../../../model/sizeReport.ts'
import { refusalsForClass } from '../../offering/sizeReports.ts'
import { blockOf, labelsOfMachine, weighedOffering } from '../../offering/usableOfferings.ts'
import type { NodePoolOption } from '../candidates/plan.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import { neighboursOf } from '../decision/neighbourVerdicts.ts'
import { labelsMissingIn, leastMissing, taintsVerdict } from '../decision/noClaim.ts'
import { type Load, roomOnInstanceType, roomVerdict } from '../decision/room.ts'
import { overLimit, type Verdict, type Whose } from '../decision/verdict.ts'
import { isWithin } from '../model/catalog/limits.ts'
import { type Bin, type BinContent, cheapestOf } from '../model/nodes/bin.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import { cheaperOffers, type PoolOffering } from './cheaper.ts'
import type { NewClaim, NotTaken } from './explanation.ts'

/** The first reason why the offering does not become the machine of the bin. */
function whyNotForBin(offer: PoolOffering, bin: Bin, { problem, plan }: Provisioning): NotTaken {
  const { template, type, offering } = offer
  const machine = labelsOfMachine(type, offering)
  const pods = bin.contents.map(({ relaxedPod }) => relaxedPod.constraint)
  const placement = problem.context.settings.placement ?? 'price'
  return (
    taintsVerdict(template.pool.template.taints, pods) ??
    refusedByPool(offer, machine) ??
    refusedByPods(bin, intersectAll(template.requirements, machine)) ??
    refusedByRoom(offer, { total: bin.total, ports: bin.ports, pods }, problem.axes) ??
    movedBy(bin, machine) ??
    notForSale(offer, problem.context) ??
    limitOf(offer, bin, plan.poolOptions) ??
    weightOf(offer, bin) ??
    demotedVerdict(offer, problem.context, cheapestOf(bin)?.offering.price, problem.context.settings.nodeCost) ?? {
      kind: 'plan',
      placement,
    }
  )
}

function refusedByPods({ contents }: Bin, machine: Requirements): Verdict | undefined {
  for (const { relaxedPod } of contents) {
    const missing = missingOf(relaxedPod.constraint.alternatives, machine)
    if (missing.length === 0) continue
    return asksFor(
      missingOf(relaxedPod.wanted, machine).length === 0 ? 'volumes' : 'pods',
      missing.map(({ incoming }) => incoming),
    )
  }
  return undefined
}

function missingOf(alternatives: readonly Requirements[], machine: Requirements): readonly RequirementConflict[] {
  return leastMissing(alternatives, (wanted) => conflicts(machine, wanted, UNDEFINED_ALLOWED_LABELS))
}

/** The rule about neighbours that leaves the claim other domains than the domain of the machine. */
function movedBy({ contents, narrowedTemplate }: Bin, machine: Requirements): Verdict | undefined {
  for (const [key, held] of narrowedTemplate.requirements) {
    const [value, ...others] = machine.get(key)?.values ?? []
    if (value === undefined || others.length > 0 || has(held, value)) continue
    const group = contents.flatMap(groupsOf).find((each) => each.key === key)
    if (group !== undefined) return neighboursOf(group, [value])
  }
  return undefined
}

/** The rules of the pods come before rules of other pods and rules that only count these pods. */
function groupsOf({ podClass, relaxedPod }: BinContent): readonly TopologyGroup[] {
  return [...relaxedPod.spread, ...relaxedPod.affinity, ...relaxedPod.antiAffinity, ...podClass.repelledBy, ...podClass.counted]
}

/** The limit of the NodePool that the machine would exceed beside all other machines of the plan. */
function limitOf({ template, index, offering }: PoolOffering, bin: Bin, poolOptions: readonly NodePoolOption[]): Verdict | undefined {
  const size = template.sizes[index]
  const own = poolOptions.filter(({ narrowedTemplate }) => narrowedTemplate.template === template)
  const poolOption = own.find(({ reservation }) => reservation?.id === offering.reservation?.id) ?? own[0]
  if (size === undefined || poolOption?.limits.left === undefined) return undefined
  const isOwn = bin.narrowedTemplate.template === template
  const left = isOwn ? add(poolOption.limits.left, onlyOf(bin.charge, Object.keys(poolOption.limits.left))) : poolOption.limits.left
  if (isWithin(size.type.capacity, left)) return undefined
  return overLimit([size], { ...poolOption, limits: { left } })
}

function onlyOf(amounts: Bin['charge'], names: readonly string[]): Bin['charge'] {
  return Object.fromEntries(names.map((name) => [name, ownValue(amounts, name) ?? 0]))
}

function weightOf({ template }: PoolOffering, { narrowedTemplate }: Bin): NotTaken | undefined {
  const chosen = narrowedTemplate.template.weight
  return template.weight < chosen ? { kind: 'weight', weight: template.weight, chosen } : undefined
}

/** The claim that the bin becomes, with the offerings that would have cost less. */
export function newClaimOf(
  { draft, pods, buffers, choice, nextBest, alternatives }: CreateClaim,
  bin: Bin,
  provisioning: Provisioning,
): NewClaim {
  const { templates } = provisioning.problem.pools
  return defined({
    name: draft.name,
    pool: draft.nodePool,
    pods: pods.map(({ key }) => key),
    buffers,
    choice,
    nextBest,
    alternatives,
    cheaper: cheaperOffers(templates, choice.price, (offer) => whyNotForBin(offer, bin, provisioning)),
  })
}

/** The requirements of the NodePool that a machine with these labels does not meet. Undefined if the NodePool may make the machine. */
export function refusedByPool({ template, index, offering }: PoolOffering, machine: Requirements): Verdict | undefined {
  const missing = overlapConflicts(machine, template.requirements).map(({ incoming }) => incoming)
  if (missing.length > 0) return asksFor('pool', missing)
  const unknown = offering.requirements.find(({ key }) => !UNDEFINED_ALLOWED_LABELS.has(key) && !template.requirements.has(key))
  if (unknown !== undefined) {
    return { kind: 'labels', whose: 'pool', labels: [unknown.key], message: `the nodepool does not define label ${unknown.key}` }
  }
  if (template.sizes[index] !== undefined) return undefined
  const lacking = labelsMissingIn([{ requirements: machine }], template.requirements, template.requirements)
  return { kind: 'sizes', whose: 'pods', instanceTypes: 1, lacking, volumeClaims: [] }
}

/** Why a machine of the instance type has no room for the load. Undefined if it has. */
export function refusedByRoom({ template, index }: PoolOffering, load: Load, axes: Axes): Verdict | undefined {
  const size = template.sizes[index]
  return size === undefined ? undefined : roomVerdict(roomOnInstanceType(size), load, axes)
}

/** Why nobody can buy the offering now. Undefined if it can be bought. */
export function notForSale(
  { template, type, offering }: PoolOffering,
  { unavailable, takenAt }: Pick<DecisionContext, 'unavailable' | 'demoted' | 'takenAt'>,
): NotTaken | undefined {
  const block = blockOf(type, offering, refusalsForClass(unavailable, template.pool.template.nodeClassRef.name), takenAt)
  if (block !== undefined) {
    const { code, until, message } = block
    return { kind: 'blocked', code, times: timesRefused(block), until, message }
  }
  if (offering.shortOf !== undefined) {
    const { code, quota, region, limit, used } = offering.shortOf
    return { kind: 'quota', code, quota, region, limit, used, message: `${quota} in ${region} has ${used} of ${limit} cores in use` }
  }
  if (offering.reservation !== undefined && offering.reservation.remaining <= 0) {
    return { kind: 'reservation', reservation: offering.reservation.id }
  }
  return offering.available ? undefined : { kind: 'offering' }
}

/** Why the offering counts as dearer than this price, though it is cheaper. Undefined if it does not. `than` has the cost of a node. */
export function demotedVerdict(
  { type, offering }: PoolOffering,
  { demoted = [] }: Pick<DecisionContext, 'demoted'>,
  than = 0,
  nodeCost = 0,
): NotTaken | undefined {
  const demotion = demotionOf({ size: type.name, capacityType: offering.capacityType }, demoted)
  if ((weighedOffering(type, offering, demoted, nodeCost).price ?? 0) < than) return undefined
  return demotion && { kind: 'demoted', because: demotion.because, until: demotion.until }
}

/** The verdict on a machine that does not meet these requirements. `whose`: the object that has the requirements. */
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
