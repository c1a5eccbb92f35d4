import { OBJECT_KINDS } from '../../shared/model/clusterObjects.ts'
import { KEPT_PATHS } from '../../shared/wire/kept/keptPaths.ts'
import { createPrune } from '../../shared/wire/kept/prune.ts'
import type { KeptLists } from '../../shared/wire/kept/told.ts'
import type { Reducer } from './reducedVersion.ts'

/** Reduces objects to what the lists keep. Of a kind that the lists leave out, the lists of this program count. */
export function keptReducer({ kinds }: KeptLists): Reducer {
  const prunes = new Map(OBJECT_KINDS.map((kind) => [kind, createPrune(kinds[kind] ?? KEPT_PATHS[kind])]))
  return (kind, object) => prunes.get(kind)?.(object)
}
