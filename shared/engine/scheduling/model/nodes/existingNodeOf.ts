import { ownValue } from '../../../../base/values.ts'
import type { NodeClaimName } from '../../../../model/ids.ts'
import { allocatableOfType, type InstanceType } from '../../../../model/instanceType.ts'
import { LABEL, type Labels } from '../../../../model/labels.ts'
import type { NodeClaimSpec } from '../../../../model/nodeClaim.ts'
import type { HostPort, Pod } from '../../../../model/pod.ts'
import { overlapConflicts } from '../../../../model/requirementConflict.ts'
import {
  admitsAbsence,
  has,
  intersectAll,
  type Requirement,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../../../../model/requirements.ts'
import { add, minOf, type Resources, subtract, sum } from '../../../../model/resources.ts'
import { untolerated } from '../../../../model/taint.ts'
import type { CsiNode } from '../../../../model/workloads.ts'
import { allocatableOf, podsThatStay, type StateNode } from '../../../cluster/stateNode.ts'
import { byAmounts, soldAs } from '../../../offering/shortSizes.ts'
import { admitsOffering, requirementMap, typeNamed } from '../../../offering/usableOfferings.ts'
import type { TypesOf } from '../../../overlay/overlaidTypes.ts'
import { claimKeys } from '../../../pod/podPredicates.ts'
import { type Daemon, daemonsOfMachine, daemonsOfSize, daemonsToCome, missingOverhead } from '../catalog/daemons.ts'
import { SIMULATED_LABELS } from '../catalog/template.ts'
import type { AttachedBy } from '../pods/volumes.ts'
import { type Amounts, DISK_DRIVER } from '../quantities/amounts.ts'
import { labelsMeet } from '../quantities/byLabel.ts'
import { type ExistingNode, labelsPass, type MachineView } from './existingNode.ts'

export type ExistingNodeInput = {
  readonly typesOf: TypesOf
  readonly daemons: readonly Daemon[]
  readonly attachable: Attachable
}

/** Returns how many more volumes a machine can attach, by driver, for drivers with a known limit. */
export type Attachable = (machine: StateNode, drivers: readonly string[], typesOf: TypesOf) => ReadonlyMap<string, number>

/** The existing node of a machine, or of a claim that is on its way. Undefined if it is being deleted or has too little for its pods and daemons. */
export function existingNodeOf(input: ExistingNodeInput, view: MachineView): ExistingNode | undefined {
  const { node, claim, isDeleting } = view.machine
  if (isDeleting) return undefined
  if (node !== undefined || claim?.status.providerId !== undefined) return registeredNode(input, view)
  return claim === undefined ? undefined : inFlightNode(input, { name: claim.name, spec: claim.spec, labels: claim.meta.labels })
}

function registeredNode({ typesOf, daemons, attachable }: ExistingNodeInput, view: MachineView): ExistingNode | undefined {
  const { machine, labels, taints, kind } = view
  const landing = daemons.length === 0 ? daemons : daemonsOfMachine(daemons, { ...labels, ...SIMULATED_LABELS }, taints)
  const { requests, ports, mounted } = usedBy(podsThatStay(machine))
  const free = subtract(launchedAllocatable(typesOf, machine), add(requests, missingOverhead(landing, machine)))
  for (const name in free) if ((ownValue(free, name) ?? 0) < 0) return undefined
  const { claim } = machine
  const coming = daemonsToCome(landing, machine)
  return {
    ...(claim === undefined ? {} : { claim: claim.name }),
    id: 0,
    label: machine.name,
    name: labels[LABEL.hostname] ?? machine.name,
    stage: machine.isInitialized ? 0 : 1,
    taints,
    meets: (wanted) => labelsMeet(labels, wanted),
    left: free,
    free: NOTHING,
    freeFor: '',
    freeOn: (axes) => axes.freeWith(free, axes.drivers.length === 0 ? NO_LIMITS : attachable(machine, axes.drivers, typesOf)),
    // Daemons that have not come yet will need their host ports.
    ports: [...ports, ...coming.flatMap(({ hostPorts }) => hostPorts)],
    mounted,
    accepted: kind.accepted,
    daemonsToCome: machine.isInitialized ? [] : coming,
    domainOf: (key) => ownValue(labels, key),
    domainsOf: (key) => {
      const own = ownValue(labels, key)
      return own === undefined ? [] : [own]
    },
    passes: (filter) => labelsPass(filter, labels, taints),
  }
}

/** What the pods take of a node, in one walk. In a large cluster most pods are looked at here for the first time. */
function usedBy(pods: readonly Pod[]): { readonly requests: Resources; readonly ports: HostPort[]; readonly mounted: string[] } {
  const requests: Resources[] = []
  const ports: HostPort[] = []
  const mounted: string[] = []
  for (const pod of pods) {
    requests.push(pod.requests)
    for (const port of pod.hostPorts) ports.push(port)
    for (const key of claimKeys(pod)) mounted.push(key)
  }
  return { requests: sum(requests), ports, mounted }
}

const NOTHING: Amounts = new Float64Array()
const NO_LIMITS: ReadonlyMap<string, number> = new Map()

/** Returns what the volumes of a machine's pods leave of the limits of each driver. Until a driver has come, the limit of the size counts. */
export function attachableOn(csiNodes: readonly CsiNode[], attachedBy: AttachedBy): Attachable {
  const stated = new Map(csiNodes.map((each) => [each.name, each]))
  return (machine, drivers, typesOf) => {
    const { node, pods } = machine
    const { limits = {}, unlimited = [] } = (node === undefined ? undefined : stated.get(node.name)) ?? {}
    const left = new Map<string, number>()
    for (const driver of drivers) {
      const limit = ownValue(limits, driver) ?? (unlimited.includes(driver) ? undefined : limitOfSize(driver, sizeOf(typesOf, machine)))
      if (limit === undefined) continue
      const used = new Set(pods.flatMap((pod) => attachedBy(pod, driver)))
      left.set(driver, Math.max(0, limit - used.size))
    }
    return left
  }
}

function limitOfSize(driver: string, type: InstanceType | undefined): number | undefined {
  return driver === DISK_DRIVER ? type?.maxDataDisks : undefined
}

/** The allocatable resources of the machine. A launched claim without a status has those of its size. */
function launchedAllocatable(typesOf: TypesOf, machine: StateNode): Resources {
  const known = allocatableOf(machine)
  const type = Object.keys(known).length > 0 ? undefined : sizeOf(typesOf, machine)
  return type === undefined ? known : allocatableOfType(type)
}

/** The size that a claim was launched as. */
function sizeOf(typesOf: TypesOf, { claim }: StateNode): InstanceType | undefined {
  if (claim === undefined) return undefined
  const { labels } = claim.meta
  const named = typeNamed(typesOf(labels[LABEL.nodePool], claim.spec.nodeClassRef.name), labels[LABEL.instanceType])
  return named === undefined ? undefined : (soldAs(named, labels[LABEL.zone], labels[LABEL.capacityType]) ?? named)
}

export type Unlaunched = { readonly name: NodeClaimName; readonly spec: NodeClaimSpec; readonly labels: Labels }

/**
 * A claim that is not launched. A pod must fit whatever size and offering the launch takes: the least of each resource counts, and every value that a
 * label may get.
 */
export function inFlightNode(
  { typesOf, daemons }: Omit<ExistingNodeInput, 'attachable'>,
  { name, spec, labels }: Unlaunched,
): ExistingNode | undefined {
  const requirements = intersectAll(requirementsFrom(spec.requirements), requirementsFromLabels({ ...labels, ...SIMULATED_LABELS }))
  const sizes = typesOf(labels[LABEL.nodePool], spec.nodeClassRef.name)
    .flatMap(byAmounts)
    .flatMap((type) => {
      const ofType = requirementMap(type.requirements)
      const offerings = overlapConflicts(ofType, requirements).length === 0 ? offeringsOf(type, requirements) : []
      return offerings.length === 0 ? [] : [{ type, ofType, offerings }]
    })
  const offerings = sizes.flatMap((size) => size.offerings)
  const landing = sizes.map(({ ofType }) => daemonsOfSize(daemons, requirements, spec.taints, ofType))
  const [first, ...others] = sizes.map(({ type }, index) =>
    subtract(type.capacity, add(type.overhead, sum((landing[index] ?? []).map((daemon) => daemon.requests)))),
  )
  if (first === undefined) return undefined
  const least = others.reduce(minOf, first)
  if (Object.values(least).some((amount) => amount < 0)) return undefined
  const anyLanding = [...new Set(landing.flat())]
  const disks = sizes.map(({ type }) => type.maxDataDisks).reduce(fewer)
  const outcomes = outcomesOf(requirements, [sizes.map(({ ofType }) => ofType), offerings])
  return {
    id: 0,
    label: name,
    name,
    claim: name,
    stage: 2,
    taints: spec.taints,
    meets: (wanted) => [...wanted].every(([key, wish]) => everyOutcomeMeets(wish, outcomes(key))),
    left: least,
    free: NOTHING,
    freeFor: '',
    freeOn: (axes) => axes.freeOf(least, disks),
    ports: anyLanding.flatMap((daemon) => daemon.hostPorts),
    mounted: [],
    accepted: new Map(),
    daemonsToCome: anyLanding,
    domainOf: (key) => {
      const values = outcomes(key)
      return values?.length === 1 ? values[0] : undefined
    },
    domainsOf: (key) => outcomes(key) ?? [],
    passes: ({ required, tolerations }) =>
      (required === undefined || required.some((each) => [...each].every(([key, wish]) => everyOutcomeMeets(wish, outcomes(key))))) &&
      (tolerations === undefined || untolerated(spec.taints, tolerations).length === 0),
  }
}

/** The labels of each offering of the type that the claim admits. */
function offeringsOf({ offerings }: InstanceType, requirements: Requirements): readonly Requirements[] {
  return offerings.filter((offering) => admitsOffering(requirements, offering)).map((offering) => requirementMap(offering.requirements))
}

function fewer(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined || second === undefined ? (first ?? second) : Math.min(first, second)
}

/** Reports whether every value that the claim may get meets the wish, and its absence as well if it may be absent. */
function everyOutcomeMeets(wish: Requirement, values: readonly string[] | undefined): boolean {
  if (values === undefined) return false
  return values.length === 0 ? admitsAbsence(wish) : values.every((value) => has(wish, value))
}

/** Returns the values that a label may end with. Empty if the label will be absent, undefined if any value is possible. */
function outcomesOf(claim: Requirements, layers: readonly (readonly Requirements[])[]): (key: string) => readonly string[] | undefined {
  const known = new Map<string, readonly string[] | undefined>()
  return (key) => {
    if (!known.has(key)) known.set(key, outcomeOf(key, claim, layers))
    return known.get(key)
  }
}

function outcomeOf(key: string, claim: Requirements, layers: readonly (readonly Requirements[])[]): readonly string[] | undefined {
  const own = claim.get(key)
  // The last layer that has the label decides it: the offering, else the size, else the claim.
  const deciding = [...layers].reverse().find((layer) => layer.some((each) => each.has(key))) ?? (own === undefined ? [] : [claim])
  const outcomes = deciding.map((each) => each.get(key))
  const isAbsent = (outcome: Requirement | undefined): boolean =>
    outcome === undefined || (!outcome.complement && outcome.values.length === 0)
  if (outcomes.every(isAbsent)) return []
  if (outcomes.some((outcome) => isAbsent(outcome) || outcome?.complement === true)) return undefined
  const values = new Set(outcomes.flatMap((outcome) => outcome?.values ?? []))
  return [...values].filter((value) => own === undefined || has(own, value)).sort()
}
