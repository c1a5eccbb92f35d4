import type { HostPort } from '../../../model/pod.ts'
import { portsClash } from '../pods/hostPorts.ts'
import { isCounted } from '../pods/podClass.ts'
import type { Group } from '../topology/group.ts'
import type { Item } from './items.ts'

/** Who is on one machine that is being filled, as far as rules among host names and ports care. */
export interface Neighbours {
  /** How many more of the item may join: all, where no rule speaks. */
  room(item: Item): number
  join(item: Item, count: number): void
}

type Counts = Map<Group, { selected: number; owners: number }>

export function createNeighbours(): Neighbours {
  const counts: Counts = new Map()
  const ports: HostPort[] = []
  const of = (group: Group): { selected: number; owners: number } => {
    const known = counts.get(group) ?? { selected: 0, owners: 0 }
    counts.set(group, known)
    return known
  }
  return {
    room(item) {
      const { podClass, variant } = item
      let most = podClass.hostPorts.length > 0 ? (portsClash(ports, podClass.hostPorts) ? 0 : 1) : Number.POSITIVE_INFINITY
      for (const group of variant.antiAffinity) if (group.isHost) most = Math.min(most, roomApart(group, item, of(group).selected))
      for (const group of podClass.repelledBy) if (group.isHost && of(group).owners > 0) return 0
      for (const group of variant.spread) if (group.isHost) most = Math.min(most, roomSpread(group, item, of(group).selected))
      return most
    },
    join({ podClass, variant }, count) {
      for (const group of podClass.counted) if (group.isHost) of(group).selected += count
      for (const group of variant.owned) if (group.isHost) of(group).owners += count
      ports.push(...podClass.hostPorts)
    },
  }
}

function roomApart(group: Group, { podClass }: Item, selected: number): number {
  if (selected > 0) return 0
  return isCounted(podClass, group) ? 1 : Number.POSITIVE_INFINITY
}

function roomSpread(group: Group, { podClass }: Item, selected: number): number {
  if (isCounted(podClass, group)) return Math.max(0, group.maxSkew - selected)
  return selected > group.maxSkew ? 0 : Number.POSITIVE_INFINITY
}

/** The most of these pods one new machine may hold, by the tightest rule among host names that they are themselves meant by. */
export function mostPerHost({ podClass, variant }: Item): { readonly group: Group; readonly most: number } | undefined {
  let found: { group: Group; most: number } | undefined
  const take = (group: Group, most: number): void => {
    if (group.isHost && isCounted(podClass, group) && (found === undefined || most < found.most)) found = { group, most }
  }
  for (const group of variant.antiAffinity) take(group, 1)
  for (const group of variant.spread) take(group, group.maxSkew)
  return found
}
