/** Counts running pods by namespace and labels, so that topology rules need not look at each pod. */
import { ownValue } from '../../../../base/values.ts'
import { type NodeName, namespaceOf } from '../../../../model/ids.ts'
import type { Labels } from '../../../../model/labels.ts'
import type { Pod } from '../../../../model/pod.ts'
import { createByLabels } from './bySelector.ts'
import type { MachineKind } from './inverseAntiAffinity.ts'
import { type Asking, asLabelled, type Labelled, selectsPod, type TopologyGroup } from './topologyGroup.ts'

/** Pods of one namespace with the same labels. `nodes` lists the node of each pod, once for each pod. */
export type LabelGroup = Labelled & {
  readonly nodes: NodeName[]
  /** The number of pods on each kind of machine. Undefined until asked for, and after a change. */
  byKind: ReadonlyMap<MachineKind, number> | undefined
}

export interface LabelCounts {
  add(pod: Pod, node: NodeName): void
  remove(pod: Pod, node: NodeName): void
  /** Says that the machine of the pod is of another kind than before. */
  kindChanged(pod: Pod): void
  /** The groups of pods that the selector of the topology group selects. */
  groupsSelecting(group: TopologyGroup, work: Asking): readonly LabelGroup[]
}

export function createLabelCounts(): LabelCounts {
  const known = new Map<string, LabelGroup>()
  const byLabels = createByLabels<LabelGroup>()
  /** The group in which pods with this labels object were counted last. Copies of one template share the object. */
  const lastOf = new WeakMap<Labels, LabelGroup>()

  function classesOf(pod: Pod): LabelGroup {
    const last = lastOf.get(pod.labels)
    if (last !== undefined && last.nodes.length > 0 && isIn(last.namespace, pod)) return last
    const text = textOf(pod)
    const alike = known.get(text) ?? { ...asLabelled(pod), nodes: [], byKind: undefined }
    lastOf.set(pod.labels, alike)
    if (alike.nodes.length > 0) return alike
    known.set(text, alike)
    byLabels.add(alike.labels, alike)
    return alike
  }

  return {
    add(pod, node) {
      const alike = classesOf(pod)
      alike.nodes.push(node)
      alike.byKind = undefined
    },
    remove(pod, node) {
      const text = textOf(pod)
      const alike = known.get(text)
      const at = alike?.nodes.indexOf(node) ?? -1
      if (alike === undefined || at < 0) return
      alike.byKind = undefined
      const last = alike.nodes.pop()
      if (last !== undefined && at < alike.nodes.length) alike.nodes[at] = last
      if (alike.nodes.length > 0) return
      known.delete(text)
      byLabels.remove(alike.labels, alike)
    },
    kindChanged(pod) {
      const alike = known.get(textOf(pod))
      if (alike !== undefined) alike.byKind = undefined
    },
    groupsSelecting(group, work) {
      const candidates = [...byLabels.candidates(group.selector)]
      work.scopes += candidates.length
      return candidates.filter((alike) => selectsPod(group, alike))
    },
  }
}

function isIn(namespace: string, { key }: Pick<Pod, 'key'>): boolean {
  return key.startsWith(namespace) && key[namespace.length] === '/'
}

/** The labels are not sorted: the same labels in two orders are counted apart. */
function textOf({ key, labels }: Pick<Pod, 'key'> & { readonly labels: Labels }): string {
  let text = namespaceOf({ key })
  for (const label in labels) text += ` ${label}=${ownValue(labels, label)}`
  return text
}
