/** Places that are there or on their way: nodes, launched claims, and claims that may still become one of several sizes. */

import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { type NodeClaimName, nodeClaimName } from '../../model/ids.ts'
import { LABEL, UNDEFINED_ALLOWED_LABELS } from '../../model/labels.ts'
import type { Labels } from '../../model/meta.ts'
import type { NodeClaimSpec } from '../../model/nodeClaim.ts'
import { conflicts, overlapConflicts } from '../../model/requirementConflict.ts'
import { admitsAbsence, has, intersectAll, type Requirements, requirementsFrom, requirementsFromLabels } from '../../model/requirements.ts'
import { add, minOf, type Resources, subtract, sum } from '../../model/resources.ts'
import { type Taint, untolerated } from '../../model/taint.ts'
import { allocatableOf, labelsOf, type StateNode, taintsOf } from '../cluster/stateNode.ts'
import { type Axes, addTimes, countFitting } from './amounts.ts'
import { type Daemon, missingOverhead, overheadOfSize } from './daemonOverhead.ts'
import { labelsMeet } from './labelsMeet.ts'
import { undrawn } from './limits.ts'
import type { Constraint, PodGroup } from './podGroups.ts'
import { SIMULATED_LABELS } from './template.ts'

export type Target = {
  readonly name: string
  /** Absent: a node that no claim made. */
  readonly claim?: NodeClaimName
  /** 0 initialized, 1 coming up, 2 not launched: the order pods are offered to them. */
  readonly stage: 0 | 1 | 2
  readonly taints: readonly Taint[]
  readonly meets: (wanted: Requirements) => boolean
  /** Buffer: what is left for pods. */
  readonly free: number[]
  /** Buffer: answers given, by constraint. */
  readonly accepted: Map<number, boolean>
}

export type TargetInput = {
  readonly snapshot: ClusterSnapshot
  readonly machines: readonly StateNode[]
  readonly daemons: readonly Daemon[]
  readonly axes: Axes
}

/** Initialized machines first, then those coming up, then claims without a machine; each by name. */
export function targetsOf(input: TargetInput): readonly Target[] {
  const staying = input.machines.filter((machine) => !machine.isGoing)
  const machines = staying.filter((machine) => machine.node !== undefined || machine.claim?.status.providerId !== undefined)
  const claims = staying.flatMap(({ node, claim }) =>
    node === undefined && claim !== undefined && claim.status.providerId === undefined
      ? [{ name: claim.name, spec: claim.spec, labels: claim.meta.labels }]
      : [],
  )
  const drafts = undrawn(input.snapshot).map(({ name, spec, labels }) => ({ name, spec, labels }))
  const waiting = [...claims, ...drafts].map((plan) => unlaunchedTarget(input, plan))
  return [...machines.map((machine) => machineTarget(input, machine)), ...waiting]
    .filter((target) => target !== undefined)
    .sort((first, second) => first.stage - second.stage || (first.name < second.name ? -1 : 1))
}

/** Puts up to `most` pods of the group there; answers how many. */
export function putOn(target: Target, group: PodGroup, most: number): number {
  const count = countFitting([], group.amounts, target.free, most)
  if (count === 0 || !accepts(target, group.constraint)) return 0
  addTimes(target.free, group.amounts, -count)
  return count
}

function accepts(target: Target, constraint: Constraint): boolean {
  let answer = target.accepted.get(constraint.id)
  if (answer === undefined) {
    answer = untolerated(target.taints, constraint.tolerations).length === 0 && constraint.alternatives.some(target.meets)
    target.accepted.set(constraint.id, answer)
  }
  return answer
}

function machineTarget({ snapshot, daemons, axes }: TargetInput, machine: StateNode): Target | undefined {
  const labels = machineLabels(machine)
  const taints = taintsOf(machine)
  const used = add(
    sum(machine.pods.map((pod) => pod.requests)),
    missingOverhead(daemons, { ...labels, ...SIMULATED_LABELS }, taints, machine),
  )
  const free = subtract(launchedAllocatable(snapshot, machine), used)
  if (Object.values(free).some((amount) => amount < 0)) return undefined
  const { claim } = machine
  return {
    ...(claim === undefined ? {} : { claim: claim.name }),
    name: machine.name,
    stage: machine.isInitialized ? 0 : 1,
    taints,
    meets: (wanted) => labelsMeet(labels, wanted),
    free: [...axes.amounts(free)],
    accepted: new Map(),
  }
}

function machineLabels(machine: StateNode): Labels {
  const labels = labelsOf(machine)
  const coming = machine.isInitialized ? {} : SIMULATED_LABELS
  return { [LABEL.hostname]: machine.name, ...labels, ...coming }
}

/** A launched claim whose status says nothing yet is as large as its size. */
function launchedAllocatable({ instanceTypes }: ClusterSnapshot, machine: StateNode): Resources {
  const known = allocatableOf(machine)
  const { claim } = machine
  if (Object.keys(known).length > 0 || claim === undefined) return known
  const type = instanceTypes.get(claim.spec.nodeClassRef.name)?.find((each) => each.name === claim.meta.labels[LABEL.instanceType])
  return type === undefined ? known : subtract(type.capacity, type.overhead)
}

type Unlaunched = { readonly name: NodeClaimName; readonly spec: NodeClaimSpec; readonly labels: Labels }

/** Whatever size and offering the launch takes, the pod must fit: the least of each resource, and every value of a label. */
function unlaunchedTarget({ snapshot, daemons, axes }: TargetInput, { name, spec, labels }: Unlaunched): Target | undefined {
  const requirements = intersectAll(requirementsFrom(spec.requirements), requirementsFromLabels({ ...labels, ...SIMULATED_LABELS }))
  const sizes = (snapshot.instanceTypes.get(spec.nodeClassRef.name) ?? [])
    .map((type) => ({ type, ofType: new Map(type.requirements.map((each) => [each.key, each])) }))
    .filter(({ ofType }) => overlapConflicts(ofType, requirements).length === 0)
  const offerings = sizes
    .flatMap(({ type }) => type.offerings)
    .map((offering) => new Map(offering.requirements.map((each) => [each.key, each])))
    .filter((each) => conflicts(requirements, each, UNDEFINED_ALLOWED_LABELS).length === 0)
  const [first, ...others] = sizes.map(({ type, ofType }) =>
    subtract(type.capacity, add(type.overhead, overheadOfSize(daemons, requirements, spec.taints, ofType))),
  )
  if (first === undefined || offerings.length === 0) return undefined
  const least = others.reduce(minOf, first)
  if (Object.values(least).some((amount) => amount < 0)) return undefined
  return {
    name,
    claim: nodeClaimName(name),
    stage: 2,
    taints: spec.taints,
    meets: (wanted) => everyOutcomeMeets(wanted, requirements, [sizes.map(({ ofType }) => ofType), offerings]),
    free: [...axes.amounts(least)],
    accepted: new Map(),
  }
}

/** Wishes are met or not key by key: no value the claim may end with, and no absence, may fail one. */
function everyOutcomeMeets(wanted: Requirements, claim: Requirements, layers: readonly (readonly Requirements[])[]): boolean {
  return [...wanted].every(([key, wish]) => {
    const own = claim.get(key)
    const isNarrowed = own !== undefined && !own.complement
    // The layer that decides the label is the last that knows it: the offering, else the size, else the claim.
    const deciding = [...layers].reverse().find((layer) => layer.some((each) => each.has(key))) ?? (own === undefined ? [] : [claim])
    if (deciding.length === 0) return admitsAbsence(wish)
    return deciding.every((each) => {
      const outcome = each.get(key)
      if (outcome === undefined || (!outcome.complement && outcome.values.length === 0)) return admitsAbsence(wish)
      if (outcome.complement) return false
      const values = isNarrowed ? outcome.values.filter((value) => has(own, value)) : outcome.values
      return values.length > 0 && values.every((value) => has(wish, value))
    })
  })
}
