import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { Amounts } from '../model/quantities/amounts.ts'

/** A node that may get pods. `at`: its number. `pods`: the number of pods of the moves that it got. `share`: its free share after that. */
export type Place = { readonly node: ExistingNode; readonly at: number; readonly whole: Amounts; pods: number; share: number }

/** Reports whether the node goes. Its free amounts are negative then. */
export function isClosed({ node: { free } }: Pick<Place, 'node'>): boolean {
  return (free[0] ?? 0) < 0
}
