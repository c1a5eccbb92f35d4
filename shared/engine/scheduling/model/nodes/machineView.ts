/** A machine as rules about labels see it. Machines that differ in nothing but their names are of one kind. */
import { LABEL } from '../../../../model/labels.ts'
import type { Labels } from '../../../../model/meta.ts'
import { type Taint, untolerated } from '../../../../model/taint.ts'
import { labelsOf, type StateNode, taintsOf } from '../../../cluster/stateNode.ts'
import { SIMULATED_LABELS } from '../catalog/template.ts'
import { labelsMeet } from '../quantities/labelsMeet.ts'
import type { NodeFilter } from '../topology/topologyGroup.ts'

export type MachineView = {
  readonly machine: StateNode
  readonly labels: Labels
  readonly taints: readonly Taint[]
  readonly kind: MachineKind
}

export type MachineKind = {
  /** Of some machine of the kind. */
  readonly labels: Labels
  readonly taints: readonly Taint[]
  /** Buffer: answers given, by constraint; only of constraints that ask for no name. */
  readonly accepted: Map<number, boolean>
}

export interface MachineViewer {
  /** Gives machines of one kind the same. */
  view(machine: StateNode): MachineView
  /** The machine is no more what was seen: its kind is forgotten with the last of its machines. */
  forget(view: MachineView): void
  /** Kinds that are remembered. */
  readonly kinds: number
}

type Known = { readonly text: string; readonly kind: MachineKind; machines: number }

const RECENT = 4

export function machineViewer(): MachineViewer {
  const kinds = new Map<string, Known>()
  const byKind = new Map<MachineKind, Known>()
  /** Seen last: of machines made together few are of other kinds than these, and to compare is quicker than to write it all down. */
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
      // Of an earlier viewer, perhaps.
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

function machineLabels(machine: StateNode): Labels {
  const coming = machine.isInitialized ? {} : SIMULATED_LABELS
  return { [LABEL.hostname]: machine.name, ...labelsOf(machine), ...coming }
}

export function labelsPass({ required, tolerations }: NodeFilter, labels: Labels, taints: readonly Taint[]): boolean {
  if (required !== undefined && !required.some((each) => labelsMeet(labels, each))) return false
  return tolerations === undefined || untolerated(taints, tolerations).length === 0
}

type Told = Pick<MachineKind, 'labels' | 'taints'>

/** Whether they are told alike, but for their names. */
function areOfOneKind(first: Told, second: Told): boolean {
  return (
    first.taints.length === 0 &&
    second.taints.length === 0 &&
    isToldBy(first.labels, second.labels) &&
    isToldBy(second.labels, first.labels)
  )
}

function isToldBy(labels: Labels, others: Labels): boolean {
  for (const label in labels) if (label !== LABEL.hostname && labels[label] !== others[label]) return false
  return true
}

/** Not in an order of its own: the same labels told in two orders are two kinds. */
function textOf(labels: Labels, taints: readonly Taint[]): string {
  let text = ''
  for (const label in labels) if (label !== LABEL.hostname) text += `${label}=${labels[label]} `
  for (const { key, value, effect } of taints) text += `${key}=${value ?? ''}:${effect} `
  return text
}
