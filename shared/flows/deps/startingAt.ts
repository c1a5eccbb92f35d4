import type { EpochMs } from '../../model/units.ts'

/** The items rotated to a start that depends on the time. So a caller that can handle only some of them gets to each in turn. */
export function startingAt<Item>(items: readonly Item[], now: EpochMs): readonly Item[] {
  const first = items.length === 0 ? 0 : now % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}
