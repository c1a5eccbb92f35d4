/** A subnet may have addresses for fewer machines than the plan has claims. The most important pods get them, and the others wait. */
import { largestOf } from '../../../base/lists.ts'
import { createAddresses } from '../../cluster/subnetAddresses.ts'
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
  const addresses = createAddresses(subnetRooms)
  const without = new Map<FilledBin, string>()
  for (const each of filled.toSorted((one, other) => priorityOf(other) - priorityOf(one))) {
    const drafts = 'action' in each.drafted ? [each.drafted.action.draft] : []
    const subnet = addresses.fullFor(drafts)
    if (subnet === undefined) addresses.take(drafts)
    else without.set(each, subnet)
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
