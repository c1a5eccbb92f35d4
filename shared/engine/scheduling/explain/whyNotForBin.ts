/** Why an offering does not become the machine of a claim that the decision makes. */
import { ownValue } from '../../../base/ownValue.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../../model/labels.ts'
import { conflicts, type RequirementConflict } from '../../../model/requirementConflict.ts'
import { has, intersectAll, type Requirements } from '../../../model/requirements.ts'
import { add } from '../../../model/resources.ts'
import { labelsOfMachine } from '../../offering/admission.ts'
import type { NodePoolOption } from '../candidates/plan.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import { leastMissing, taintsVerdict } from '../decision/lacking.ts'
import { neighboursOf } from '../decision/neighboursOf.ts'
import { overLimit } from '../decision/roomVerdicts.ts'
import type { Verdict } from '../decision/verdict.ts'
import { isWithin } from '../model/catalog/limits.ts'
import { type Bin, type BinContent, cheapestOf } from '../model/nodes/bin.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import type { PoolOffering } from './cheaper.ts'
import type { NotTaken } from './explanation.ts'
import { asksFor, demotedVerdict, notForSale, refusedByPool, refusedByRoom } from './offeringVerdicts.ts'

/** The first reason why the offering does not become the machine of the bin. */
export function whyNotForBin(offer: PoolOffering, bin: Bin, { problem, plan }: Provisioning): NotTaken {
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
