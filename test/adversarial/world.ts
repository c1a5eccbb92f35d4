import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL, type Labels } from '../../shared/model/labels.ts'
import type { LabelSelector, PodAffinity, PodAffinityTerm, TopologySpreadConstraint } from '../../shared/model/pod.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import { instanceType } from '../builders/instanceType.ts'

/** A cluster in which the number of one thing grows with the number of pods. Work that grows with the square of that number shows in the time. */
export type World = {
  readonly name: string
  /** One line that names the thing that there is much of. */
  readonly about: string
  /** Returns the cluster with this number of pending pods. */
  build(pods: number): ClusterSnapshot
}

/** Sixteen sizes, from 2 to 64 CPUs with 4 or 8 GiB for each, on demand and as spot in three zones. */
export const TYPES = [2, 4, 8, 16, 20, 32, 48, 64].flatMap((cpus) =>
  [4, 8].map((gib) => instanceType({ name: `Standard_${gib === 4 ? 'D' : 'E'}${cpus}as_v6`, cpus, memoryGib: cpus * gib })),
)

export const ZONES = ['eastus-1', 'eastus-2', 'eastus-3']

export function times<Item>(count: number, make: (index: number) => Item): readonly Item[] {
  return Array.from({ length: Math.max(1, Math.floor(count)) }, (_, index) => make(index))
}

export function selecting(matchLabels: Labels, ...matchExpressions: readonly RequirementSpec[]): LabelSelector {
  return { matchLabels, matchExpressions }
}

function termOn(topologyKey: string, selector: LabelSelector): PodAffinityTerm {
  return { topologyKey, selector, namespaces: [], matchLabelKeys: [], mismatchLabelKeys: [] }
}

export function demanding(...required: readonly PodAffinityTerm[]): PodAffinity {
  return { required, preferred: [] }
}

export function spreadOver(topologyKey: string, selector: LabelSelector): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'DoNotSchedule',
    selector,
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
    matchLabelKeys: [],
  }
}

export function onHost(selector: LabelSelector): PodAffinityTerm {
  return termOn(LABEL.hostname, selector)
}

export function inZone(selector: LabelSelector): PodAffinityTerm {
  return termOn(LABEL.zone, selector)
}
