import type { HostPort } from '../../../model/pod.ts'
import { portsClash } from '../pods/hostPorts.ts'
import type { HostRules } from './hostRules.ts'

/** Who is on one machine that is being filled, as far as rules among host names and ports care. */
export interface Neighbours {
  /** How many more of the pods may join: any number, where no rule speaks. */
  room(rules: HostRules): number
  join(rules: HostRules, count: number): void
  /** The next machine: nobody is there. */
  clear(): void
}

/** `groups`: one more than the highest number of a group. */
export function createNeighbours(groups: number): Neighbours {
  const selected = new Int32Array(groups)
  const owners = new Int32Array(groups)
  const touched: number[] = []
  let touches = 0
  const ports: HostPort[] = []

  function roomForPorts(hostPorts: HostRules['hostPorts']): number {
    if (hostPorts.length === 0) return Number.POSITIVE_INFINITY
    return portsClash(ports, hostPorts) ? 0 : 1
  }

  function roomApart(apart: HostRules['apart']): number {
    let most = Number.POSITIVE_INFINITY
    for (const { group, isSelf } of apart) {
      if ((selected[group] ?? 0) > 0) return 0
      if (isSelf) most = 1
    }
    return most
  }

  function roomToSpread(spread: HostRules['spread']): number {
    let most = Number.POSITIVE_INFINITY
    for (const { group, isSelf, maxSkew } of spread) {
      const present = selected[group] ?? 0
      if (isSelf) most = Math.min(most, Math.max(0, maxSkew - present))
      else if (present > maxSkew) return 0
    }
    return most
  }

  return {
    room({ isFree, hostPorts, apart, spread, repelledBy }) {
      if (isFree) return Number.POSITIVE_INFINITY
      for (const group of repelledBy) if ((owners[group] ?? 0) > 0) return 0
      return Math.min(roomForPorts(hostPorts), roomApart(apart), roomToSpread(spread))
    },
    join({ hostPorts, counted, owned }, count) {
      for (const group of counted) {
        selected[group] = (selected[group] ?? 0) + count
        touched[touches++] = group
      }
      for (const group of owned) {
        owners[group] = (owners[group] ?? 0) + count
        touched[touches++] = group
      }
      for (const port of hostPorts) ports.push(port)
    },
    clear() {
      while (touches > 0) {
        const group = touched[--touches] ?? 0
        selected[group] = 0
        owners[group] = 0
      }
      if (ports.length > 0) ports.length = 0
    },
  }
}
