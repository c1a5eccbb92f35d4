import type { Placement } from '../candidates/plan.ts'
import { isCounted, type PodClass } from '../model/pods/podClass.ts'
import type { TopologyHost } from '../model/topology/host.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import type { LeavingPods } from './placedPods.ts'

/**
 * Reports whether some pods of a required affinity leave their domain together, and are all pods that the affinity selects. kube-scheduler places none of
 * them in another domain while one of them still runs. Called while the pods count where the plan puts them.
 */
export function beginsElsewhere(log: readonly Placement[], moving: readonly LeavingPods[]): boolean {
  const groups = new Set(log.flatMap(({ host, podClass }) => requiredBy(podClass).filter((group) => leaves(group, host, moving))))
  return [...groups].some((group) => {
    const placed = log.reduce((sum, { podClass, count }) => sum + (isCounted(podClass, group) ? count : 0), 0)
    return placed > 1 && placed === sumOf(group.selected) + sumOf(group.possible)
  })
}

function requiredBy({ pod, relaxedPods }: PodClass): readonly TopologyGroup[] {
  return relaxedPods.at(-1)?.affinity.slice(0, pod.podAffinity.required.length) ?? []
}

function leaves({ isHost, key }: TopologyGroup, onto: TopologyHost, moving: readonly LeavingPods[]): boolean {
  return isHost || !moving.some(({ host }) => host !== undefined && host.domainOf(key) === onto.domainOf(key))
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}
