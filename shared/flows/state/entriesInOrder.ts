import { byText, placeIn } from '../../base/order.ts'
import type { Change, Version } from '../../model/change.ts'

/** The newest change of an object, with its version. The change brings the object, its removal, or an object that could not be read. */
export type Entry = { readonly version: Version; readonly change: Change }

/** Entries in the order of their keys, found by binary search. A key comes at the end only. */
export interface EntriesInOrder {
  /** Undefined: the key was removed, or never came. */
  get(key: string): Entry | undefined
  /** False where the key neither is known nor follows all others. */
  set(key: string, entry: Entry): boolean
  /** False where the key is not known. */
  remove(key: string): boolean
  each(visit: (entry: Entry, key: string) => void): void
  size(): number
}

export function createEntriesInOrder(): EntriesInOrder {
  let keys: string[] = []
  /** Undefined: the key was removed. */
  let entries: (Entry | undefined)[] = []
  let removed = 0

  function dropRemoved(): void {
    keys = keys.filter((_, place) => entries[place] !== undefined)
    entries = entries.filter((entry) => entry !== undefined)
    removed = 0
  }

  return {
    get: (key) => entries[placeOf(keys, key)],
    set(key, entry) {
      const last = keys.at(-1)
      if (last === undefined || last < key) {
        keys.push(key)
        entries.push(entry)
        return true
      }
      const place = placeOf(keys, key)
      if (place < 0) return false
      if (entries[place] === undefined) removed--
      entries[place] = entry
      return true
    },
    remove(key) {
      const place = placeOf(keys, key)
      if (place < 0) return false
      if (entries[place] !== undefined) removed++
      entries[place] = undefined
      if (removed * 2 > keys.length) dropRemoved()
      return true
    },
    each(visit) {
      // What a visitor removes may put others in place of these lists.
      const [keysNow, entriesNow] = [keys, entries]
      for (let place = 0; place < keysNow.length; place++) {
        const entry = entriesNow[place]
        if (entry !== undefined) visit(entry, keysNow[place] ?? '')
      }
    },
    size: () => keys.length - removed,
  }
}

/** Place of the key in the order; -1 when it is not there. */
function placeOf(keys: readonly string[], key: string): number {
  const place = placeIn(keys, key, byText)
  return keys[place] === key ? place : -1
}
