import { byText } from '../../base/order.ts'
import type { Entry } from './objectStore.ts'

/** Entries of one kind by key. */
export interface EntryTable {
  get(key: string): Entry | undefined
  set(key: string, entry: Entry): void
  remove(key: string): void
  /** Visits each entry, in no particular order; `visit` may remove it. */
  each(visit: (entry: Entry, key: string) => void): void
  sorted(): readonly Entry[]
  size(): number
}

/**
 * A checkpoint brings its entries in the order of their keys. A key that follows all others is put after them, and is found by binary search: to fill a map
 * with a hundred thousand keys takes longer than all that a process asks for afterwards. Keys that come in another order stand in a map.
 */
export function createEntryTable(): EntryTable {
  let keys: string[] = []
  /** Undefined: the key was removed. */
  let entries: (Entry | undefined)[] = []
  let removed = 0
  let last: string | undefined
  const others = new Map<string, Entry>()

  /** Place of the key in the order; -1 when it is not there. */
  function placeOf(key: string): number {
    let from = 0
    let until = keys.length
    while (from < until) {
      const middle = (from + until) >>> 1
      const found = keys[middle] ?? ''
      if (found === key) return middle
      if (found < key) from = middle + 1
      else until = middle
    }
    return -1
  }

  function dropRemoved(): void {
    keys = keys.filter((_, place) => entries[place] !== undefined)
    entries = entries.filter((entry) => entry !== undefined)
    removed = 0
    last = keys.at(-1)
  }

  return {
    get(key) {
      const place = placeOf(key)
      return place < 0 ? others.get(key) : entries[place]
    },
    set(key, entry) {
      if ((last === undefined || last < key) && !others.has(key)) {
        keys.push(key)
        entries.push(entry)
        last = key
        return
      }
      const place = placeOf(key)
      if (place < 0) others.set(key, entry)
      else {
        if (entries[place] === undefined) removed--
        entries[place] = entry
      }
    },
    remove(key) {
      const place = placeOf(key)
      if (place < 0) others.delete(key)
      else if (entries[place] !== undefined) {
        entries[place] = undefined
        removed++
      }
      if (removed * 2 > keys.length) dropRemoved()
    },
    each(visit) {
      const [keysNow, entriesNow] = [keys, entries]
      for (let place = 0; place < keysNow.length; place++) {
        const entry = entriesNow[place]
        if (entry !== undefined) visit(entry, keysNow[place] ?? '')
      }
      for (const [key, entry] of others) visit(entry, key)
    },
    sorted() {
      const all: { readonly key: string; readonly entry: Entry }[] = []
      this.each((entry, key) => all.push({ key, entry }))
      return all.sort((first, second) => byText(first.key, second.key)).map(({ entry }) => entry)
    },
    size: () => keys.length - removed + others.size,
  }
}
