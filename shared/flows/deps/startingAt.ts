import type { EpochMs } from '../../model/units.ts'

/** The same items, beginning at one that the time chooses: who has time or room for some of them only serves each in its turn. */
export function startingAt<Item>(items: readonly Item[], now: EpochMs): readonly Item[] {
  const first = items.length === 0 ? 0 : now % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}
