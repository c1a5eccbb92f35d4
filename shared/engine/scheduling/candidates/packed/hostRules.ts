/** Rules among host names about the pods of an item. They are worked out once, so that filling a machine only adds and compares. */
import type { HostPort } from '../../../../model/pod.ts'
import { portsClash } from '../../model/pods/admission.ts'
import { isCounted, type PodClass, type RelaxedPod } from '../../model/pods/constraint.ts'
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

/** The pods on one machine that is being filled, as far as rules among host names and host ports look at them. */
export interface Neighbours {
  /** How many more of the pods may join. Infinite if no rule is about them. */
  room(rules: HostRules): number
  join(rules: HostRules, count: number): void
  /** Begins with the next machine, without pods. */
  clear(): void
}

/**
 * A class because each decision makes some and asks them hundreds of thousands of times: compiled code stays valid for the next ones. The loops use
 * counters, because an iterator costs more than the step itself until the code is compiled.
 */
class PresentNeighbours implements Neighbours {
  // Counts by id of the group.
  private readonly selected: Int32Array
  private readonly owners: Int32Array
  /** The most selected pods that the rules of the pods here allow, if these pods are spread by the group. */
  private readonly most: Float64Array
  private readonly touched: number[] = []
  private touches = 0
  /** The host ports that are taken, by number: machines hold many pods with a port each. */
  private readonly ports = new Map<number, readonly HostPort[]>()

  constructor(groups: number) {
    this.selected = new Int32Array(groups)
    this.owners = new Int32Array(groups)
    this.most = new Float64Array(groups).fill(Number.POSITIVE_INFINITY)
  }

  room({ isFree, hostPorts, groups }: HostRules): number {
    if (isFree) return Number.POSITIVE_INFINITY
    let room = hostPorts.length === 0 ? Number.POSITIVE_INFINITY : roomForPorts(hostPorts, this.ports)
    for (let at = 0; at < groups.length && room > 0; at++) {
      const rule = groups[at]
      if (rule !== undefined) room = Math.min(room, this.roomUnder(rule))
    }
    return room
  }

  private roomUnder({ group, most, isSelf, isRepelled, isCounted }: GroupRule): number {
    const present = this.selected[group] ?? 0
    if (isRepelled && (this.owners[group] ?? 0) > 0) return 0
    if (!isSelf && present > most) return 0
    const own = isSelf ? Math.max(0, most - present) : Number.POSITIVE_INFINITY
    // The scheduler may bind the spread pods last. The pods that they count must not be more than `maxSkew` by then.
    return isCounted ? Math.min(own, (this.most[group] ?? own) - present) : own
  }

  join({ hostPorts, groups }: HostRules, count: number): void {
    const { selected, owners, most, ports } = this
    for (let at = 0; at < groups.length; at++) {
      const rule = groups[at]
      if (rule === undefined) break
      const { group } = rule
      if (rule.maxSkew < (most[group] ?? 0)) most[group] = rule.maxSkew
      if (rule.isCounted) selected[group] = (selected[group] ?? 0) + count
      if (rule.isOwned) owners[group] = (owners[group] ?? 0) + count
      this.touched[this.touches++] = group
    }
    for (const each of hostPorts) ports.set(each.port, [...(ports.get(each.port) ?? NO_PORTS), each])
  }

  clear(): void {
    while (this.touches > 0) {
      const group = this.touched[--this.touches] ?? 0
      this.selected[group] = 0
      this.owners[group] = 0
      this.most[group] = Number.POSITIVE_INFINITY
    }
    if (this.ports.size > 0) this.ports.clear()
  }
}

/** `groups`: one more than the highest id of a group. */
export function createNeighbours(groups: number): Neighbours {
  return new PresentNeighbours(groups)
}

function roomForPorts(hostPorts: HostRules['hostPorts'], taken: ReadonlyMap<number, readonly HostPort[]>): number {
  return hostPorts.some((each) => portsClash(taken.get(each.port) ?? NO_PORTS, [each])) ? 0 : 1
}

const NO_PORTS: readonly HostPort[] = []
