/** A machine as rules about labels see it. Machines that differ in nothing but their names are of one kind. */
import { LABEL } from '../../../model/labels.ts'
import type { Labels } from '../../../model/meta.ts'
import { type Taint, untolerated } from '../../../model/taint.ts'
import { labelsOf, type StateNode, taintsOf } from '../../cluster/stateNode.ts'
import { SIMULATED_LABELS } from '../catalog/template.ts'
import { labelsMeet } from '../labelsMeet.ts'
import type { NodeFilter } from '../topology/group.ts'

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

export function machineViewer(): MachineViewer {
  const kinds = new Map<string, { readonly kind: MachineKind; machines: number }>()
  return {
    view(machine) {
      const labels = machineLabels(machine)
      const taints = taintsOf(machine)
      const text = textOf(labels, taints)
      const known = kinds.get(text) ?? { kind: { labels, taints, accepted: new Map() }, machines: 0 }
      known.machines++
      kinds.set(text, known)
      return { machine, labels, taints, kind: known.kind }
    },
    forget({ labels, taints, kind }) {
      const text = textOf(labels, taints)
      const known = kinds.get(text)
      // Of an earlier viewer, perhaps.
      if (known?.kind !== kind) return
      known.machines--
      if (known.machines === 0) kinds.delete(text)
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

/** Not in an order of its own: the same labels told in two orders are two kinds. */
function textOf(labels: Labels, taints: readonly Taint[]): string {
  let text = ''
  for (const label in labels) if (label !== LABEL.hostname) text += `${label}=${labels[label]} `
  for (const { key, value, effect } of taints) text += `${key}=${value ?? ''}:${effect} `
  return text
}
