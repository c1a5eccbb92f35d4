import { byText, placeIn } from '../../base/order.ts'
import type { Change, Version } from '../../model/change.ts'

/** The newest change of an object, with its version. The change is a put, a deletion, or an object that could not be parsed. */
export type Entry = { readonly version: Version; readonly change: Change }

/** Entries in the order of their keys, found by binary search. A new key can only be added at the end. */
export interface EntriesInOrder {
  /** Returns undefined if the key was removed or never set. */
  get(key: string): Entry | undefined
  /** Returns false if the key is neither known nor greater than all others. */
  set(key: string, entry: Entry): boolean
  /** Returns false if the key is not known. */
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
      // `visit` may remove entries, which may replace the lists.
      const [keysNow, entriesNow] = [keys, entries]
      for (let place = 0; place < keysNow.length; place++) {
        const entry = entriesNow[place]
        if (entry !== undefined) visit(entry, keysNow[place] ?? '')
      }
    },
    size: () => keys.length - removed,
  }
}

/** The index of the key, or -1 if it is not in the list. */
function placeOf(keys: readonly string[], key: string): number {
  const place = placeIn(keys, key, byText)
  return keys[place] === key ? place : -1
}
