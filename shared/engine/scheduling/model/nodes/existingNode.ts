/** Machines that exist or are on their way: nodes, launched claims, and claims that may still become any of several sizes. */
import { once } from '../../../../base/caches.ts'
import { addAll, replaceAll } from '../../../../base/lists.ts'
import { ownValue } from '../../../../base/values.ts'
import type { NodeClaimName, ObjectKey } from '../../../../model/ids.ts'
import { LABEL, type Labels, UNDEFINED_ALLOWED_LABELS } from '../../../../model/labels.ts'
import type { HostPort, NodeSelectorTerm } from '../../../../model/pod.ts'
import { normaliseKey, type Requirement, type Requirements } from '../../../../model/requirements.ts'
import type { Resources } from '../../../../model/resources.ts'
import { type Taint, untolerated } from '../../../../model/taint.ts'
import { labelsOf, type StateNode, taintsOf } from '../../../cluster/stateNode.ts'
import type { Daemon } from '../catalog/daemons.ts'
import { SIMULATED_LABELS, type Template } from '../catalog/template.ts'
import { portsClash } from '../pods/admission.ts'
import type { Constraint, PodClass } from '../pods/constraint.ts'
import { type Amounts, type Axes, addTimes, countFitting } from '../quantities/amounts.ts'
import { labelsMeet } from '../quantities/byLabel.ts'
import type { MachineKind, TopologyHost } from '../topology/inverseAntiAffinity.ts'
import type { NodeFilter } from '../topology/topologyGroup.ts'
import { amountsOn, mount } from './bin.ts'

export type ExistingNode = TopologyHost & {
  /** The place in the order in which existing nodes are offered to pods. */
  id: number
  readonly label: string
  /** Undefined for a node that no claim made. */
  readonly claim?: NodeClaimName
  /** 0 initialized, 1 coming up, 2 not launched. Existing nodes are offered to pods in this order. */
  readonly stage: 0 | 1 | 2
  readonly taints: readonly Taint[]
  readonly meets: (wanted: Requirements) => boolean
  /** What is left before a plan begins, by resource. Never negative. */
  readonly left: Resources
  /** What is left for pods, on the axes of the decision. Changed in place. */
  free: Amounts
  /** The version of axes and limits that `free` was worked out for. Changed in place. */
  freeFor: string
  /** What is left before a plan begins. */
  readonly freeOn: (axes: Axes) => Amounts
  /** The host ports taken. Changed in place. */
  readonly ports: HostPort[]
  /** The volume claims that the machine has attached. Changed in place. */
  readonly mounted: string[]
  /** Daemons that will run there before any waiting pod, and do not run yet. */
  readonly daemonsToCome: readonly Daemon[]
  /** A cache of answers, by the id of the constraint. Machines that differ in nothing but their names share it. */
  readonly accepted: Map<number, boolean>
}

/** The fields of an existing node that plans change. */
export type ExistingNodeMark = { readonly free: Amounts; readonly ports: readonly HostPort[]; readonly mounted: readonly string[] }

export function markOf({ free, ports, mounted }: ExistingNode): ExistingNodeMark {
  return { free: Float64Array.from(free), ports: [...ports], mounted: [...mounted] }
}

export function putBack(existingNode: ExistingNode, { free, ports, mounted }: ExistingNodeMark): void {
  existingNode.free.set(free)
  replaceAll(existingNode.ports, ports)
  replaceAll(existingNode.mounted, mounted)
}

/** The number of pods of the class that the machine could take, affinity rules apart. It is at most `most`. */
export function roomOn(existingNode: ExistingNode, podClass: PodClass, constraint: Constraint, most: number): number {
  const isOneByOne = podClass.hostPorts.length > 0 || podClass.shared.length > 0
  const count = countFitting(amountsOn(existingNode.mounted, podClass), existingNode.free, isOneByOne ? 1 : most)
  if (count === 0 || !takesPodsOf(existingNode, constraint)) return 0
  return portsClash(existingNode.ports, podClass.hostPorts) ? 0 : count
}

/** Reports whether the machine takes pods of the constraint, room apart. */
export function takesPodsOf(existingNode: ExistingNode, constraint: Constraint): boolean {
  return accepts(existingNode, constraint) && daemonAntiAffinityThere(existingNode, constraint).length === 0
}

export function putOn(existingNode: ExistingNode, podClass: PodClass, count: number): void {
  addTimes(existingNode.free, amountsOn(existingNode.mounted, podClass), -count)
  mount(existingNode.mounted, podClass)
  addAll(existingNode.ports, podClass.hostPorts)
}

/** DaemonSets that the constraint keeps apart from and that are about to run there. */
function daemonAntiAffinityThere({ daemonsToCome }: ExistingNode, { apartFrom }: Constraint): readonly ObjectKey[] {
  if (apartFrom.length === 0 || daemonsToCome.length === 0) return NONE
  return daemonsToCome.map(({ key }) => key).filter((key) => apartFrom.includes(key))
}

const NONE: readonly ObjectKey[] = []

function accepts(existingNode: ExistingNode, constraint: Constraint): boolean {
  if (constraint.asksName) return admits(existingNode, constraint)
  let answer = existingNode.accepted.get(constraint.id)
  if (answer === undefined) {
    answer = admits(existingNode, constraint)
    existingNode.accepted.set(constraint.id, answer)
  }
  return answer
}

function admits({ taints, meets }: ExistingNode, { tolerations, alternatives }: Constraint): boolean {
  return untolerated(taints, tolerations).length === 0 && alternatives.some(meets)
}

/**
 * Returns a function that is false if certainly no machine meets the term: no existing one, and none that a pool could make. A pod may prefer labels
 * that no machine has.
 */
export function couldMeetAmong(
  templates: readonly Pick<Template, 'requirements'>[],
  existingNodes: readonly Pick<ExistingNode, 'stage' | 'domainsOf'>[],
): (term: NodeSelectorTerm) => boolean {
  const known = new Map<string, ReadonlySet<string> | undefined>()
  // The labels that a claim leaves open are known only once it is a machine.
  const isOpen = once(() => existingNodes.some(({ stage }) => stage === 2))
  function valuesOf(key: string): ReadonlySet<string> | undefined {
    if (UNDEFINED_ALLOWED_LABELS.has(key) || isOpen()) return undefined
    if (known.has(key)) return known.get(key)
    const own = templates.flatMap(({ requirements }) => requirements.get(key) ?? [])
    const there = existingNodes.flatMap(({ domainsOf }) => domainsOf(key))
    const values = own.some(isAnyValue) ? undefined : new Set([...own.flatMap((each) => each.values), ...there])
    known.set(key, values)
    return values
  }
  return ({ matchExpressions }) =>
    matchExpressions.every(({ key, operator, values }) => {
      const possible = operator === 'In' ? valuesOf(normaliseKey(key)) : undefined
      return possible === undefined || values.some((value) => possible.has(value))
    })
}

function isAnyValue({ complement, values }: Requirement): boolean {
  return complement || values.length === 0
}

export type MachineView = {
  readonly machine: StateNode
  readonly labels: Labels
  readonly taints: readonly Taint[]
  readonly kind: MachineKind
}

export interface MachineViewer {
  /** Returns the view of a machine. Machines of one kind share its `kind`. */
  view(machine: StateNode): MachineView
  /** Takes back a view whose machine has changed or gone. The kind is forgotten with the last of its machines. */
  forget(view: MachineView): void
  /** The number of kinds remembered. */
  readonly kinds: number
}

type Known = { readonly text: string; readonly kind: MachineKind; machines: number }

const RECENT = 4

export function machineViewer(): MachineViewer {
  const kinds = new Map<string, Known>()
  const byKind = new Map<MachineKind, Known>()
  /** The kinds seen last. Machines made together are mostly of these, and comparing is faster than writing a text. */
  let recent: readonly Known[] = []

  function knownOf(labels: Labels, taints: readonly Taint[]): Known {
    const same = recent.find(({ kind }) => areOfOneKind(kind, { labels, taints }))
    if (same !== undefined) return same
    const text = textOf(labels, taints)
    const known = kinds.get(text) ?? { text, kind: { labels, taints, accepted: new Map() }, machines: 0 }
    kinds.set(text, known)
    byKind.set(known.kind, known)
    recent = [known, ...recent.slice(0, RECENT - 1)]
    return known
  }

  return {
    view(machine) {
      const labels = machineLabels(machine)
      const taints = taintsOf(machine)
      const known = knownOf(labels, taints)
      known.machines++
      return { machine, labels, taints, kind: known.kind }
    },
    forget({ kind }) {
      const known = byKind.get(kind)
      // The view may come from an earlier viewer.
      if (known === undefined) return
      known.machines--
      if (known.machines > 0) return
      kinds.delete(known.text)
      byKind.delete(kind)
      recent = recent.filter((each) => each !== known)
    },
    get kinds() {
      return kinds.size
    },
  }
}

/** The kind in which a machine counts. Undefined if it has no node or is being deleted. */
export function countedKind(view: MachineView | undefined): MachineKind | undefined {
  return view === undefined || view.machine.node === undefined || view.machine.isDeleting ? undefined : view.kind
}

function machineLabels(machine: StateNode): Labels {
  const coming = machine.isInitialized ? {} : SIMULATED_LABELS
  return { [LABEL.hostname]: machine.name, ...labelsOf(machine), ...coming }
}

export function labelsPass({ required, tolerations }: NodeFilter, labels: Labels, taints: readonly Taint[]): boolean {
  if (required !== undefined && !required.some((each) => labelsMeet(labels, each))) return false
  return tolerations === undefined || untolerated(taints, tolerations).length === 0
}

type Told = Pick<MachineKind, 'labels' | 'taints'>

/** Reports whether the machines are equal but for their names. Machines with taints are compared by text instead. */
function areOfOneKind(first: Told, second: Told): boolean {
  return (
    first.taints.length === 0 &&
    second.taints.length === 0 &&
    isToldBy(first.labels, second.labels) &&
    isToldBy(second.labels, first.labels)
  )
}

function isToldBy(labels: Labels, others: Labels): boolean {
  for (const label in labels) if (label !== LABEL.hostname && ownValue(labels, label) !== ownValue(others, label)) return false
  return true
}

/** Labels and taints as text. They are not sorted: the same labels in two orders make two kinds. */
function textOf(labels: Labels, taints: readonly Taint[]): string {
  let text = ''
  for (const label in labels) if (label !== LABEL.hostname) text += `${label}=${ownValue(labels, label)} `
  for (const { key, value, effect } of taints) text += `${key}=${value ?? ''}:${effect} `
  return text
}
