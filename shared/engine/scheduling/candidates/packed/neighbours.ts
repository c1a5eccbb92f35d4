import type { HostPort } from '../../../../model/pod.ts'
import { portsClash } from '../../model/pods/hostPorts.ts'
import type { GroupRule, HostRules } from './hostRules.ts'

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
