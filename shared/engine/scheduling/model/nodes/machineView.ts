/** A machine as rules about labels see it. */
import { ownValue } from '../../../../base/values.ts'
import { LABEL, type Labels } from '../../../../model/labels.ts'
import { type Taint, untolerated } from '../../../../model/taint.ts'
import { labelsOf, type StateNode, taintsOf } from '../../../cluster/stateNode.ts'
import { SIMULATED_LABELS } from '../catalog/template.ts'
import { labelsMeet } from '../quantities/byLabel.ts'
import type { MachineKind } from '../topology/inverseAntiAffinity.ts'
import type { NodeFilter } from '../topology/topologyGroup.ts'

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
