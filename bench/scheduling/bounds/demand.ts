import { namespaceOf } from '../../../shared/model/ids.ts'
import { selects } from '../../../shared/model/labelSelector.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { LabelSelector, Pod } from '../../../shared/model/pod.ts'
import { intersectAll, type Requirements, requirementsFrom, requirementsFromLabels } from '../../../shared/model/requirements.ts'
import type { Toleration } from '../../../shared/model/taint.ts'

/** The pods to place, in groups. Pods that are equal in everything that a bound looks at are one shape. */
export type Demand = {
  /** Resources that pods request. Amounts below are in this order. */
  readonly axes: readonly Axis[]
  readonly classes: readonly PodClass[]
  readonly shapes: readonly Shape[]
  /** At most `most` pods of the group may be on one node. */
  readonly groups: readonly { readonly most: number; readonly count: number }[]
  readonly shapeByUid: ReadonlyMap<string, number>
}

/** A resource. Amounts are divided by the unit, so that all resources have sizes that suit a solver. */
export type Axis = { readonly resource: string; readonly unit: number }

/** The nodes that a pod's own spec allows. */
export type PodClass = { readonly alternatives: readonly Requirements[]; readonly tolerations: readonly Toleration[] }

export type Shape = {
  readonly podClass: number
  readonly amounts: readonly number[]
  readonly count: number
  readonly group?: number
}

const UNITS: { readonly [resource: string]: number } = { cpu: 1_000, memory: 1024 ** 3, 'ephemeral-storage': 1024 ** 3 }

export function demandOf(pods: readonly Pod[]): Demand {
  const axes = axesOf(pods)
  const classes = numbering<PodClass>()
  const groups = numbering<{ most: number; count: number }>()
  const shapes = numbering<{ podClass: number; amounts: readonly number[]; count: number; group?: number }>()
  const shapeByUid = new Map<string, number>()
  for (const pod of pods) {
    const podClass = classes.of(JSON.stringify([pod.nodeSelector, pod.requiredNodeTerms, pod.tolerations]), () => classOf(pod))
    const exclusion = exclusionOf(pod)
    const group = exclusion && groups.of(exclusion.key, () => ({ most: exclusion.most, count: 0 }))
    const amounts = axes.map(({ resource, unit }) => (pod.requests[resource] ?? 0) / unit)
    const shape = shapes.of(JSON.stringify([podClass, group ?? null, amounts]), () => ({
      podClass,
      amounts,
      count: 0,
      ...(group === undefined ? {} : { group }),
    }))
    shapeByUid.set(pod.uid, shape)
    const [ofShape, ofGroup] = [shapes.items[shape], group === undefined ? undefined : groups.items[group]]
    if (ofShape !== undefined) ofShape.count += 1
    if (ofGroup !== undefined) ofGroup.count += 1
  }
  return { axes, classes: classes.items, shapes: shapes.items, groups: groups.items, shapeByUid }
}

/**
 * Returns the group of the pod, and the largest number of pods of the group on one node. A group is pods with the same required anti-affinity to each
 * other, or with the same spread over hosts. In a spread over hosts the least count is 0, since a new host is always possible. All pods of a group
 * must select each other.
 */
function exclusionOf(pod: Pod): { readonly key: string; readonly most: number } | undefined {
  const namespace = namespaceOf(pod)
  const term = pod.podAntiAffinity.required.find(
    (each) => each.topologyKey === LABEL.hostname && each.namespaces.length === 0 && isOwn(pod, each.selector, each.matchLabelKeys),
  )
  if (term !== undefined) return { key: JSON.stringify([namespace, 'apart', term.selector]), most: 1 }
  const spread = pod.topologySpread.find(
    (each) =>
      each.topologyKey === LABEL.hostname && each.whenUnsatisfiable === 'DoNotSchedule' && isOwn(pod, each.selector, each.matchLabelKeys),
  )
  return spread && { key: JSON.stringify([namespace, 'spread', spread.selector, spread.maxSkew]), most: spread.maxSkew }
}

function isOwn(pod: Pod, selector: LabelSelector | undefined, matchLabelKeys: readonly string[]): boolean {
  return matchLabelKeys.length === 0 && selects(selector, pod.labels)
}

function classOf({ nodeSelector, requiredNodeTerms, tolerations }: Pod): PodClass {
  const selected = requirementsFromLabels(nodeSelector)
  const alternatives = requiredNodeTerms?.map((term) => intersectAll(selected, requirementsFrom(term.matchExpressions))) ?? [selected]
  return { alternatives, tolerations }
}

function axesOf(pods: readonly Pod[]): readonly Axis[] {
  const names = new Set<string>()
  for (const pod of pods) for (const name in pod.requests) if (pod.requests[name] !== 0) names.add(name)
  return [...names].sort().map((resource) => ({ resource, unit: UNITS[resource] ?? 1 }))
}

/** Numbers items in the order in which their keys first appear. */
function numbering<Item>(): { readonly items: Item[]; of(key: string, make: () => Item): number } {
  const items: Item[] = []
  const numbers = new Map<string, number>()
  return {
    items,
    of(key, make) {
      const number = numbers.get(key) ?? items.push(make()) - 1
      numbers.set(key, number)
      return number
    },
  }
}
