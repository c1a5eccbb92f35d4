import { byKey } from '../../base/order.ts'
import { createEntriesInOrder, type Entry } from './entriesInOrder.ts'

/** Entries of one kind by key. */
export interface EntryTable {
  get(key: string): Entry | undefined
  set(key: string, entry: Entry): void
  remove(key: string): void
  /** Visits each entry, in no particular order. `visit` may remove the entry. */
  each(visit: (entry: Entry, key: string) => void): void
  /** The entries in the order of their keys. */
  sorted(): readonly Entry[]
  size(): number
}

/**
 * A checkpoint has its entries in the order of their keys, and they are kept in that order. To fill a map with a hundred thousand keys took a tenth
 * of a cold start. Keys that come in another order are kept in a map.
 */
export function createEntryTable(): EntryTable {
  const ordered = createEntriesInOrder()
  const others = new Map<string, Entry>()

  function each(visit: (entry: Entry, key: string) => void): void {
    ordered.each(visit)
    for (const [key, entry] of others) visit(entry, key)
  }

  return {
    get: (key) => ordered.get(key) ?? others.get(key),
    set(key, entry) {
      if (others.has(key) || !ordered.set(key, entry)) others.set(key, entry)
    },
    remove(key) {
      if (!ordered.remove(key)) others.delete(key)
    },
    each,
    sorted() {
      const all: { readonly key: string; readonly entry: Entry }[] = []
      each((entry, key) => all.push({ key, entry }))
      return all.sort(byKey(({ key }) => key)).map(({ entry }) => entry)
    },
    size: () => ordered.size() + others.size,
  }
}
