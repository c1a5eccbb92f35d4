import { byText, leastOf, placeIn } from '../../base/lists.ts'
import { type Change, compareVersions, type Version } from '../../model/change.ts'
import type { EpochMs } from '../../model/units.ts'

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

/** How long a gap in the numbers may last before the shim is asked to send everything again. */
const HOLE_PATIENCE_MS = 5_000

/**
 * Why nothing can be decided for a cluster whose shim never posted. It is no gap, because there is no state yet. This is normal at each cold start.
 */
export const NOTHING_KNOWN = 'nothing is known of the cluster yet'

/** The numbers of changes that have been seen: all up to a number, and single numbers after a gap. */
export interface SeenNumbers {
  /** Returns the version up to which every change is known. */
  complete(): Version
  /** Notes a record of a term. A later term starts again, with a snapshot of all objects. */
  enterTerm(term: number, at: EpochMs): void
  note(version: Version, at: EpochMs): void
  /** Notes a complete snapshot. It covers every change before it. */
  noteSnapshot(version: Version): void
  /** Returns why the shim must send everything again, or undefined while nothing is missing. `floor`: the version of the newest complete snapshot. */
  missing(floor: Version, now: EpochMs): string | undefined
}

export function createSeenNumbers(from: Version): SeenNumbers {
  const ahead = new Map<number, EpochMs>()
  let complete = from
  let newestTerm = from.term
  let firstOfTermAt: EpochMs | undefined

  function closeHoles(): void {
    while (complete.term === newestTerm && ahead.delete(complete.seq + 1)) complete = { term: newestTerm, seq: complete.seq + 1 }
  }

  return {
    complete: () => complete,
    enterTerm(term, at) {
      if (term <= newestTerm) return
      newestTerm = term
      firstOfTermAt = at
      ahead.clear()
    },
    note(version, at) {
      if (version.term !== newestTerm || compareVersions(version, complete) <= 0) return
      ahead.set(version.seq, at)
      closeHoles()
    },
    noteSnapshot(version) {
      if (compareVersions(version, complete) > 0) complete = version
      for (const seq of ahead.keys()) if (seq <= complete.seq) ahead.delete(seq)
      closeHoles()
    },
    missing(floor, now) {
      if (newestTerm === 0) return NOTHING_KNOWN
      if (floor.term < newestTerm) {
        const waited = now - (firstOfTermAt ?? now)
        return waited >= HOLE_PATIENCE_MS ? `no complete snapshot of term ${newestTerm}` : undefined
      }
      const oldest = leastOf(ahead.values())
      return now - oldest >= HOLE_PATIENCE_MS ? `change ${complete.seq + 1} of term ${newestTerm} never came` : undefined
    },
  }
}
