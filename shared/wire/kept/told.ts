import type { ObjectKind } from '../../model/clusterObjects.ts'
import type { Kept } from './kept.ts'
import { KEPT_PATHS } from './keptPaths.ts'

/** The lists of all kinds, as the app tells them to a shim that has older lists. */
export type KeptLists = {
  /** Later lists have a larger number. So two versions of the app, side by side, do not send a shim to and fro. */
  readonly number: number
  readonly kinds: KindLists
}

/** Another version of the program may know other kinds. */
export type KindLists = { readonly [Kind in ObjectKind]?: Kept }

/** The lists of this program: the app tells them, and the shim begins with them. */
export const KEPT_LISTS: KeptLists = { number: 2, kinds: KEPT_PATHS }

/** What the app adds to its answer to a post: its lists, if the shim follows earlier ones. A shim that reads objects itself has none. */
export function listsFor({ kept }: { readonly kept?: number }): { readonly kept?: KeptLists } {
  return kept === undefined || kept >= KEPT_LISTS.number ? {} : { kept: KEPT_LISTS }
}
