/** Where pods run, by namespace and labels: rules about neighbours count them without a look at each. */
import { type NodeName, namespaceOf } from '../../../model/ids.ts'
import type { Labels } from '../../../model/meta.ts'
import type { Pod } from '../../../model/pod.ts'
import { createByLabels } from './bySelector.ts'
import { type Asking, asLabelled, type Group, isMeant, type Labelled } from './group.ts'

/** Pods of one namespace with the same labels, and the nodes they are on, each once a pod. */
export type Alike = Labelled & { readonly nodes: NodeName[] }

export interface LabelCounts {
  add(pod: Pod, node: NodeName): void
  remove(pod: Pod, node: NodeName): void
  /** The pods a group's selector means. */
  meantBy(group: Group, work: Asking): readonly Alike[]
}

export function createLabelCounts(): LabelCounts {
  const known = new Map<string, Alike>()
  const byLabels = createByLabels<Alike>()
  return {
    add(pod, node) {
      const text = textOf(pod)
      const alike = known.get(text)
      if (alike !== undefined) {
        alike.nodes.push(node)
        return
      }
      const made: Alike = { ...asLabelled(pod), nodes: [node] }
      known.set(text, made)
      byLabels.add(made.labels, made)
    },
    remove(pod, node) {
      const text = textOf(pod)
      const alike = known.get(text)
      const at = alike?.nodes.indexOf(node) ?? -1
      if (alike === undefined || at < 0) return
      const last = alike.nodes.pop()
      if (last !== undefined && at < alike.nodes.length) alike.nodes[at] = last
      if (alike.nodes.length > 0) return
      known.delete(text)
      byLabels.remove(alike.labels, alike)
    },
    meantBy(group, work) {
      const candidates = [...byLabels.candidates(group.selector)]
      work.meanings += candidates.length
      return candidates.filter((alike) => isMeant(group, alike))
    },
  }
}

/** Not in an order of its own: the same labels told in two orders are counted apart. */
function textOf({ key, labels }: Pick<Pod, 'key'> & { readonly labels: Labels }): string {
  let text = namespaceOf({ key })
  for (const label in labels) text += ` ${label}=${labels[label]}`
  return text
}
