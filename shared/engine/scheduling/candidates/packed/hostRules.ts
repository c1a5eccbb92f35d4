/** Rules among host names about the pods of an item. They are worked out once, so that filling a machine only adds and compares. */
import type { HostPort } from '../../../../model/pod.ts'
import { isCounted, type PodClass, type RelaxedPod } from '../../model/pods/podClass.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'

export type HostRules = {
  /** True if the pods have no host port and no rule, and no rule counts them. Any number may share a machine with any other pods. */
  readonly isFree: boolean
  /** The number of rules and host ports to look at to know how many more pods may join, and one more. */
  readonly ruleCount: number
  readonly hostPorts: readonly HostPort[]
  /** One entry for each group, and more if several rules of the pods have the same group. */
  readonly groups: readonly GroupRule[]
  /** The tightest of the rules whose selector selects these pods: the most of the pods that one new machine may hold. */
  readonly tightest: { readonly group: TopologyGroup; readonly most: number } | undefined
}

/** What one group means for the pods. One entry with plain members, because filling machines reads it hundreds of thousands of times. */
export type GroupRule = {
  /** The id of the group. */
  readonly group: number
  /** The most selected pods on the machine, by anti-affinity and spread rules of the pods. Infinite if they have no rule of the group. */
  readonly most: number
  /** Whether the rules of the pods select the pods themselves. */
  readonly isSelf: boolean
  /** The `maxSkew` of the spread rule of the pods. Infinite if they have none. */
  readonly maxSkew: number
  /** Whether the owners of the group must not be on the machine. */
  readonly isRepelled: boolean
  /** Whether the group selects the pods. */
  readonly isCounted: boolean
  /** Whether the pods have the required anti-affinity rule of the group. */
  readonly isOwned: boolean
}

export function hostRulesOf(podClass: PodClass, relaxedPod: RelaxedPod): HostRules {
  const { hostPorts, repelledBy, counted } = podClass
  const groups = limitsOf(podClass, relaxedPod)
  const asked = groups.length + mark(groups, repelledBy, 'isRepelled') + mark(groups, counted, 'isCounted')
  mark(groups, relaxedPod.owned, 'isOwned')
  const ruleCount = 1 + asked + hostPorts.length
  return { isFree: ruleCount === 1, ruleCount, hostPorts, groups, tightest: tightestOf(podClass, relaxedPod) }
}

/** The anti-affinity and spread rules of the pods. */
function limitsOf(podClass: PodClass, { antiAffinity, spread }: RelaxedPod): GroupEntry[] {
  const limits: GroupEntry[] = []
  for (const group of antiAffinity) {
    if (!group.isHost) continue
    const isSelf = isCounted(podClass, group)
    limits.push({ ...noRule(group), isSelf, most: isSelf ? 1 : 0 })
  }
  for (const group of spread) {
    const { isHost, maxSkew } = group
    if (isHost) limits.push({ ...noRule(group), isSelf: isCounted(podClass, group), most: maxSkew, maxSkew })
  }
  return limits
}

type GroupEntry = { -readonly [Member in keyof GroupRule]: GroupRule[Member] }

/** Notes in the entries what the groups among host names are for the pods. Returns the number of these groups. */
function mark(entries: GroupEntry[], groups: readonly TopologyGroup[], what: 'isRepelled' | 'isCounted' | 'isOwned'): number {
  let marked = 0
  for (const group of groups) {
    if (!group.isHost) continue
    let entry = entries.find((each) => each.group === group.id)
    if (entry === undefined) {
      entry = noRule(group)
      entries.push(entry)
    }
    entry[what] = true
    marked++
  }
  return marked
}

function noRule({ id }: TopologyGroup): GroupEntry {
  const none = Number.POSITIVE_INFINITY
  return { group: id, most: none, isSelf: false, maxSkew: none, isRepelled: false, isCounted: false, isOwned: false }
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
