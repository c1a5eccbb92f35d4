import type { HostPort } from '../../../../model/pod.ts'
import { portsClash } from '../../model/pods/hostPorts.ts'
import type { HostRules } from './hostRules.ts'

/** The pods on one machine that is being filled, as far as rules among host names and host ports look at them. */
export interface Neighbours {
  /** How many more of the pods may join. Infinite if no rule is about them. */
  room(rules: HostRules): number
  join(rules: HostRules, count: number): void
  /** Begins with the next machine, without pods. */
  clear(): void
}

/** Counts by id of the group. */
type Present = {
  readonly selected: Int32Array
  readonly owners: Int32Array
  /** The most selected pods that the rules of the pods here allow, if these pods are spread by the group. */
  readonly most: Float64Array
}

/** A class because each decision makes some and asks them hundreds of thousands of times: compiled code stays valid for the next ones. */
class PresentNeighbours implements Neighbours, Present {
  readonly selected: Int32Array
  readonly owners: Int32Array
  readonly most: Float64Array
  private readonly touched: number[] = []
  private touches = 0
  private readonly ports: HostPort[] = []

  constructor(groups: number) {
    this.selected = new Int32Array(groups)
    this.owners = new Int32Array(groups)
    this.most = new Float64Array(groups).fill(Number.POSITIVE_INFINITY)
  }

  room({ isFree, hostPorts, apart, spread, repelledBy, counted }: HostRules): number {
    if (isFree) return Number.POSITIVE_INFINITY
    for (const group of repelledBy) if ((this.owners[group] ?? 0) > 0) return 0
    return Math.min(roomForPorts(hostPorts, this.ports), roomApart(apart, this), roomToSpread(spread, this), roomAmongSpread(counted, this))
  }

  join({ hostPorts, spread, counted, owned }: HostRules, count: number): void {
    const { selected, owners, most, ports } = this
    for (const { group, maxSkew } of spread) {
      most[group] = Math.min(most[group] ?? maxSkew, maxSkew)
      this.touch(group)
    }
    for (const group of counted) {
      selected[group] = (selected[group] ?? 0) + count
      this.touch(group)
    }
    for (const group of owned) {
      owners[group] = (owners[group] ?? 0) + count
      this.touch(group)
    }
    for (const port of hostPorts) ports.push(port)
  }

  clear(): void {
    while (this.touches > 0) {
      const group = this.touched[--this.touches] ?? 0
      this.selected[group] = 0
      this.owners[group] = 0
      this.most[group] = Number.POSITIVE_INFINITY
    }
    if (this.ports.length > 0) this.ports.length = 0
  }

  private touch(group: number): void {
    this.touched[this.touches++] = group
  }
}

/** `groups`: one more than the highest id of a group. */
export function createNeighbours(groups: number): Neighbours {
  return new PresentNeighbours(groups)
}

function roomForPorts(hostPorts: HostRules['hostPorts'], taken: readonly HostPort[]): number {
  if (hostPorts.length === 0) return Number.POSITIVE_INFINITY
  return portsClash(taken, hostPorts) ? 0 : 1
}

function roomApart(apart: HostRules['apart'], { selected }: Present): number {
  let room = Number.POSITIVE_INFINITY
  for (const { group, isSelf } of apart) {
    if ((selected[group] ?? 0) > 0) return 0
    if (isSelf) room = 1
  }
  return room
}

function roomToSpread(spread: HostRules['spread'], { selected }: Present): number {
  let room = Number.POSITIVE_INFINITY
  for (const { group, isSelf, maxSkew } of spread) {
    const present = selected[group] ?? 0
    if (isSelf) room = Math.min(room, Math.max(0, maxSkew - present))
    else if (present > maxSkew) return 0
  }
  return room
}

/** The scheduler may bind the spread pods last. The pods that they count must not be more than `maxSkew` by then. */
function roomAmongSpread(counted: HostRules['counted'], { selected, most }: Present): number {
  let room = Number.POSITIVE_INFINITY
  for (const group of counted) room = Math.min(room, (most[group] ?? room) - (selected[group] ?? 0))
  return room
}
