/** The existing targets of pods: nodes, launched claims, and claims that may still become one of several sizes. */
import { ownValue } from '../../shared/base/values.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeClaimDraft, NodeClaimSpec } from '../../shared/model/nodeClaim.ts'
import type { HostPort, Pod } from '../../shared/model/pod.ts'
import { type Requirement, type Requirements, requirementsFrom } from '../../shared/model/requirements.ts'
import { add, fits, minOf, type Resources, subtract, sum } from '../../shared/model/resources.ts'
import { formatTaint, type Taint, untolerated } from '../../shared/model/taint.ts'
import { NO_LABELS_UNDEFINED } from './algebra.ts'
import { groupOnNewMachine, missingOn } from './daemons.ts'
import { portsClash } from './hostPorts.ts'
import { DISK_DRIVER, type TypeView, typeView } from './instanceTypes.ts'
import type { Machine } from './machines.ts'
import type { Pass } from './pass.ts'
import { labelRequirements, type PodNeeds } from './podNeeds.ts'
import { SIMULATED } from './templates.ts'
import { type Attached, unionOf, volumesOf } from './volumes.ts'

export type ExistingTarget = {
  readonly name: string
  readonly taints: readonly Taint[]
  readonly diskLimits: { readonly [driver: string]: number }
  requirements: Requirements
  free: Resources
  ports: readonly HostPort[]
  attached: Attached
  readonly pods: Pod['key'][]
}

export function targetOfMachine(machine: Machine, daemons: readonly Pod[], pass: Pass): ExistingTarget {
  const { snapshot, algebra, quirks } = pass
  const used = add(sum(machine.pods.map((pod) => pod.requests)), missingOn(machine, daemons, algebra, quirks))
  const coming = quirks === 'fixed' && machine.claim !== undefined && !machine.isInitialized ? SIMULATED : {}
  return {
    name: machine.answerName,
    taints: machine.taints,
    diskLimits: diskLimitsOf(machine, pass),
    requirements: labelRequirements({ [LABEL.hostname]: machine.name, ...machine.labels, ...coming }),
    free: subtract(machine.allocatable, used),
    ports: machine.pods.flatMap((pod) => pod.hostPorts),
    attached: machine.pods.map((pod) => volumesOf(pod, snapshot.objects, algebra).attached).reduce(unionOf, new Map()),
    pods: [],
  }
}

/** The target of a claim without a machine: the least of each resource, and all values that a label may get. A pod must fit whatever it becomes. */
export function targetOfPlan(
  plan: Pick<NodeClaimDraft, 'name' | 'labels' | 'spec'>,
  daemons: readonly Pod[],
  pass: Pass,
): ExistingTarget | undefined {
  const { snapshot, algebra, wellKnown } = pass
  const wanted = algebra.merge(
    requirementsFrom(plan.spec.requirements),
    labelRequirements({ ...plan.labels, ...SIMULATED, [LABEL.hostname]: plan.name }),
  )
  const views = typesOf(plan.spec, pass).filter((view) => algebra.overlaps(view.requirements, wanted))
  const offerings = views.flatMap((view) => view.offerings).filter((each) => algebra.compatible(wanted, each.requirements, wellKnown))
  const pool = { requirements: wanted, taints: plan.spec.taints }
  const groups = views.map((view) => groupOnNewMachine(daemons, pool, view.requirements, algebra, wellKnown))
  const [first, ...others] = views.map((view, index) => subtract(view.allocatable, groups[index]?.overhead ?? {}))
  if (first === undefined || offerings.length === 0) return undefined
  const decided = [...views.map((view) => view.requirements), ...offerings.map((each) => each.requirements)]
  const limits = views.map(({ type }) => type.maxDataDisks).filter((limit) => limit !== undefined)
  return {
    name: plan.name,
    taints: plan.spec.taints,
    diskLimits: limits.length > 0 && snapshot.settings ? { [DISK_DRIVER]: Math.min(...limits) } : {},
    requirements: openValues(wanted, decided),
    free: others.reduce(minOf, first),
    ports: groups.flatMap((group) => group.ports),
    attached: new Map(),
    pods: [],
  }
}

export function tryExisting(target: ExistingTarget, needs: PodNeeds, pass: Pass): Requirements | string {
  const { pod, full, volumes } = needs
  const { algebra, quirks } = pass
  const [taint] = untolerated(target.taints, pod.tolerations)
  if (taint !== undefined) return `did not tolerate taint ${formatTaint(taint)}`
  if (exceedsDisks(target, volumes.attached, quirks === 'fixed')) return 'would exceed volume limit'
  if (portsClash(pod.hostPorts, target.ports)) return 'host port is taken'
  if (!fits(pod.requests, target.free)) return 'exceeds node resources'
  const labels = target.requirements
  if (!leavesAsIs(labels, full, pass)) return 'incompatible requirements'
  const narrowed = algebra.merge(labels, full)
  let failure = ''
  for (const alternative of volumes.alternatives.length > 0 ? volumes.alternatives : [new Map()]) {
    const result = tryAlternative(target, needs, narrowed, alternative, pass)
    if (typeof result !== 'string') return result
    failure = result
  }
  return failure
}

export function putOnExisting(target: ExistingTarget, needs: PodNeeds, requirements: Requirements, pass: Pass): void {
  const { pod, volumes } = needs
  target.pods.push(pod.key)
  target.free = subtract(target.free, pod.requests)
  target.ports = [...target.ports, ...pod.hostPorts]
  target.attached = unionOf(target.attached, volumes.attached)
  // Karpenter adds the pod's requirements to those of the node.
  if (pass.quirks === 'upstream') target.requirements = requirements
  pass.topology.record(pod, { of: target, taints: target.taints, requirements: () => target.requirements })
}

function tryAlternative(
  target: ExistingTarget,
  needs: PodNeeds,
  narrowed: Requirements,
  alternative: Requirements,
  pass: Pass,
): Requirements | string {
  const { taints, requirements: labels } = target
  if (!leavesAsIs(labels, alternative, pass)) return 'incompatible volume requirements'
  const placed = pass.algebra.merge(narrowed, alternative)
  const spread = pass.topology.narrow(needs, { of: target, taints }, placed)
  if (typeof spread === 'string') return spread
  return leavesAsIs(placed, spread, pass) ? spread : 'incompatible topology'
}

/** Reports whether the labels are compatible and the pod excludes none of their open values. A created claim cannot be told which value to take. */
function leavesAsIs(labels: Requirements, wanted: Requirements, { algebra }: Pass): boolean {
  if (!algebra.compatible(labels, wanted, NO_LABELS_UNDEFINED)) return false
  return [...wanted].every(([key, each]) => {
    const own = labels.get(key)
    return own === undefined || own.complement || own.values.length < 2 || algebra.intersect(own, each).values.length === own.values.length
  })
}

function exceedsDisks({ attached, diskLimits }: ExistingTarget, more: Attached, ofPodOnly: boolean): boolean {
  const all = unionOf(attached, more)
  const drivers = ofPodOnly ? more.keys() : all.keys()
  return [...drivers].some((driver) => (all.get(driver)?.size ?? 0) > (ownValue(diskLimits, driver) ?? Number.POSITIVE_INFINITY))
}

function diskLimitsOf(machine: Machine, { snapshot, quirks }: Pass): ExistingTarget['diskLimits'] {
  const known = snapshot.objects.csiNode.find((each) => each.name === machine.node?.name)
  const said = known?.limits ?? {}
  if (known?.unlimited?.includes(DISK_DRIVER) === true || quirks === 'upstream' || machine.claim === undefined) return said
  const types = snapshot.instanceTypes.get(machine.claim.spec.nodeClassRef.name) ?? []
  const limit = types.find((each) => each.name === machine.labels[LABEL.instanceType])?.maxDataDisks
  return limit === undefined ? said : { [DISK_DRIVER]: limit, ...said }
}

function typesOf({ nodeClassRef }: NodeClaimSpec, { snapshot }: Pass): readonly TypeView[] {
  return (snapshot.instanceTypes.get(nodeClassRef.name) ?? []).map((type) => typeView(type, snapshot))
}

/** The values that each label may end with: those of the sizes and offerings, within what the claim allows. */
function openValues(claim: Requirements, decided: readonly Requirements[]): Requirements {
  const result = new Map(claim)
  for (const key of new Set(decided.flatMap((each) => [...each.keys()]))) {
    const known = decided.flatMap((each) => each.get(key) ?? [])
    const values = new Set(known.flatMap((each) => each.values))
    const own = claim.get(key)
    const kept = [...values].filter((value) => own === undefined || own.complement !== own.values.includes(value)).sort()
    const absent = known.some((each) => !each.complement && each.values.length === 0)
    // Some sizes have the label and others lack it. No single value holds for all.
    const open: Requirement = { key, complement: false, values: absent && kept.length > 0 ? [...kept, MAYBE_ABSENT] : kept }
    result.set(key, open)
  }
  return result
}

/** Stands for the absence of a label among its possible values. No requirement for a value admits it. */
const MAYBE_ABSENT = '\u0000absent'
