/** Rules among host names about the pods of an item. They are worked out once, so that filling a machine only adds and compares. */
import type { HostPort } from '../../../../model/pod.ts'
import { isCounted, type PodClass, type RelaxedPod } from '../../model/pods/podClass.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'

export type HostRules = {
  /** True if the pods have no host port and no rule, and no rule counts them. Any number may share a machine with any other pods. */
  readonly isFree: boolean
  /** The number of groups to look at to know how many more pods may join, and one more. */
  readonly ruleCount: number
  readonly hostPorts: readonly HostPort[]
  readonly apart: readonly Rule[]
  readonly spread: readonly Rule[]
  /** Groups whose owners must not be on the machine. */
  readonly repelledBy: readonly number[]
  readonly counted: readonly number[]
  readonly owned: readonly number[]
  /** The tightest of the rules whose selector selects these pods: the most of the pods that one new machine may hold. */
  readonly tightest: { readonly group: TopologyGroup; readonly most: number } | undefined
}

/** `group` is the id of the group. */
type Rule = { readonly group: number; readonly maxSkew: number; readonly isSelf: boolean }

export function hostRulesOf(podClass: PodClass, relaxedPod: RelaxedPod): HostRules {
  const ruleOf = (group: TopologyGroup): Rule => ({ group: group.id, maxSkew: group.maxSkew, isSelf: isCounted(podClass, group) })
  const apart = relaxedPod.antiAffinity.filter(isOfHosts).map(ruleOf)
  const spread = relaxedPod.spread.filter(isOfHosts).map(ruleOf)
  const repelledBy = podClass.repelledBy.filter(isOfHosts).map(idOf)
  const counted = podClass.counted.filter(isOfHosts).map(idOf)
  return {
    isFree: podClass.hostPorts.length + apart.length + spread.length + repelledBy.length + counted.length === 0,
    ruleCount: 1 + apart.length + spread.length + repelledBy.length + counted.length,
    hostPorts: podClass.hostPorts,
    apart,
    spread,
    repelledBy,
    counted,
    owned: relaxedPod.owned.filter(isOfHosts).map(idOf),
    tightest: tightestOf(podClass, relaxedPod),
  }
}

function tightestOf(podClass: PodClass, relaxedPod: RelaxedPod): HostRules['tightest'] {
  let found: HostRules['tightest']
  const take = (group: TopologyGroup, most: number): void => {
    if (group.isHost && isCounted(podClass, group) && (found === undefined || most < found.most)) found = { group, most }
  }
  for (const group of relaxedPod.antiAffinity) take(group, 1)
  for (const group of relaxedPod.spread) take(group, group.maxSkew)
  return found
}

function isOfHosts({ isHost }: TopologyGroup): boolean {
  return isHost
}

function idOf({ id }: TopologyGroup): number {
  return id
}
