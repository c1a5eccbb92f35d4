/** A subnet may have addresses for fewer machines than the plan has claims. The most important pods get them, and the others wait. */
import { largestOf } from '../../../base/lists.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { FilledBin } from './filledBins.ts'

/** `full`: bins whose subnet has no address left, with its id. */
export type WithinSubnets = {
  readonly bins: readonly FilledBin[]
  readonly full: readonly { readonly filled: FilledBin; readonly subnet: string }[]
}

/** Splits the bins of a plan into bins that may become claims, in their order, and bins without an address. */
export function withinSubnets(filled: readonly FilledBin[], { subnetRooms }: Pick<DecisionContext, 'subnetRooms'>): WithinSubnets {
  if (subnetRooms === undefined) return { bins: filled, full: [] }
  const left = new Map([...subnetRooms.values()].map(({ subnet, machines }) => [subnet, machines]))
  const without = new Map<FilledBin, string>()
  for (const each of [...filled].filter(({ drafted }) => 'action' in drafted).sort((one, other) => priorityOf(other) - priorityOf(one))) {
    const subnet = subnetRooms.get(each.bin.narrowedTemplate.template.pool.template.nodeClassRef.name)?.subnet
    if (subnet === undefined) continue
    const room = left.get(subnet) ?? 0
    if (room <= 0) without.set(each, subnet)
    left.set(subnet, room - 1)
  }
  const full = [...without].map(([each, subnet]) => ({ filled: each, subnet }))
  return { bins: filled.filter((each) => !without.has(each)), full }
}

function priorityOf({ pods }: FilledBin): number {
  return largestOf(
    pods.map(({ priority }) => priority),
    Number.MIN_SAFE_INTEGER,
  )
}
