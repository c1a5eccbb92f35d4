import { byKey, byText, placeIn } from '../../base/lists.ts'
import type { Change, Version } from '../../model/change.ts'
import { OBJECT_KINDS, type ObjectByKind, type ObjectKind } from '../../model/clusterObjects.ts'
import { type Delta } from '../../model/clusterSnapshot.ts'
import type { Problem } from '../../model/problem.ts'

export type Invalid = { readonly kind: ObjectKind; readonly key: string; readonly problem: Problem }

/** The newest change of an object, with its version. The change is a put, a deletion, or an object that could not be parsed. */
export type Entry = { readonly version: Version; readonly change: Change }

/** The objects of a cluster by kind and key, and the changes since they were last taken. */
export interface ObjectStore {
  get(kind: ObjectKind, key: string): Entry | undefined
  find<Kind extends ObjectKind>(kind: Kind, key: string): ObjectByKind[Kind] | undefined
  set(entry: Entry): void
  /** Sets an entry without recording a change. */
  load(entry: Entry): void
  removeIf(isGone: (entry: Entry) => boolean): void
  /** Returns the same list until an object of the kind changes. */
  list<Kind extends ObjectKind>(kind: Kind): readonly ObjectByKind[Kind][]
  all(): { readonly [Kind in ObjectKind]: readonly ObjectByKind[Kind][] }
  invalid(): readonly Invalid[]
  /** Returns the objects that were added, changed and removed since the last call. */
  takeChanges(): Delta
  /** Returns all entries, ordered by kind and key. */
  sorted(): readonly Entry[]
  size(): number
}

type Shelf = { readonly entries: EntryTable; readonly changed: Set<string> }

export function createObjectStore(): ObjectStore {
  const shelves = new Map<ObjectKind, Shelf>(
    OBJECT_KINDS.map((kind) => [kind, { entries: createEntryTable(), changed: new Set() }] as const),
  )
  const lists = emptyLists()
  const stale = new Set<ObjectKind>(OBJECT_KINDS)

  function shelfOf(kind: ObjectKind): Shelf {
    const shelf = shelves.get(kind)
    if (shelf === undefined) throw new TypeError(`no objects are of kind ${kind}`)
    return shelf
  }

  function load(entry: Entry): void {
    const { kind, key } = entry.change
    shelfOf(kind).entries.set(key, entry)
  }

  function touch(kind: ObjectKind, key: string): void {
    shelfOf(kind).changed.add(key)
    stale.add(kind)
  }

  function list<Kind extends ObjectKind>(kind: Kind): readonly ObjectByKind[Kind][] {
    if (stale.delete(kind)) {
      const fresh = emptyLists()
      shelfOf(kind).entries.each(({ change }) => {
        if (change.op === 'put') addTo(fresh, change)
      })
      Object.assign(lists, { [kind]: fresh[kind] })
    }
    return lists[kind]
  }

  return {
    get: (kind, key) => shelfOf(kind).entries.get(key),
    find(kind, key) {
      const change = shelfOf(kind).entries.get(key)?.change
      return change?.op === 'put' && isKind(change, kind) ? change.object : undefined
    },
    load,
    set(entry) {
      load(entry)
      touch(entry.change.kind, entry.change.key)
    },
    removeIf(isGone) {
      for (const [kind, { entries }] of shelves) {
        entries.each((entry, key) => {
          if (!isGone(entry)) return
          entries.remove(key)
          if (entry.change.op === 'put') touch(kind, key)
        })
      }
    },
    list,
    all() {
      for (const kind of stale) list(kind)
      return { ...lists }
    },
    invalid: () => invalidIn(shelves),
    takeChanges: () => takeChanged(shelves),
    size: () => [...shelves.values()].reduce((sum, { entries }) => sum + entries.size(), 0),
    sorted: () => sortedByKey(shelves).flatMap(({ entries }) => entries.sorted()),
  }
}

function takeChanged(shelves: ReadonlyMap<ObjectKind, Shelf>): Delta {
  const put = emptyLists()
  const removed: { [Kind in ObjectKind]?: string[] } = {}
  for (const [kind, { entries, changed }] of shelves) {
    for (const key of changed) {
      const change = entries.get(key)?.change
      if (change?.op === 'put') addTo(put, change)
      else (removed[kind] ??= []).push(key)
    }
    changed.clear()
  }
  return { put, removed }
}

function invalidIn(shelves: ReadonlyMap<ObjectKind, Shelf>): readonly Invalid[] {
  const found: Invalid[] = []
  for (const { entries } of shelves.values()) {
    entries.each(({ change }) => {
      if (change.op === 'invalid') found.push({ kind: change.kind, key: change.key, problem: change.problem })
    })
  }
  return found
}

function sortedByKey<Value>(map: ReadonlyMap<string, Value>): readonly Value[] {
  return [...map].sort(([first], [second]) => byText(first, second)).map(([, value]) => value)
}

function isKind<Kind extends ObjectKind>(
  change: Change & { readonly op: 'put' },
  kind: Kind,
): change is typeof change & { object: ObjectByKind[Kind] } {
  return change.kind === kind
}

/** Objects of a cluster, a list for each kind. */
export type ObjectLists = { [Kind in ObjectKind]: ObjectByKind[Kind][] }

function addTo<Kind extends ObjectKind>(lists: ObjectLists, change: { readonly kind: Kind; readonly object: ObjectByKind[Kind] }): void {
  lists[change.kind].push(change.object)
}

function emptyLists(): ObjectLists {
  return {
    pod: [],
    node: [],
    nodeClaim: [],
    nodePool: [],
    nodeClass: [],
    daemonSet: [],
    podDisruptionBudget: [],
    persistentVolumeClaim: [],
    persistentVolume: [],
    storageClass: [],
    csiNode: [],
    volumeAttachment: [],
    namespace: [],
    nodeOverlay: [],
    capacityBuffer: [],
    podTemplate: [],
    deployment: [],
    statefulSet: [],
    replicaSet: [],
    replicationController: [],
    service: [],
  }
}

/** Entries of one kind by key. */
interface EntryTable {
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

/** Entries in the order of their keys, found by binary search. A new key can only be added at the end. */
interface EntriesInOrder {
  /** Returns undefined if the key was removed or never set. */
  get(key: string): Entry | undefined
  /** Returns false if the key is neither known nor greater than all others. */
  set(key: string, entry: Entry): boolean
  /** Returns false if the key is not known. */
  remove(key: string): boolean
  each(visit: (entry: Entry, key: string) => void): void
  size(): number
}

function createEntriesInOrder(): EntriesInOrder {
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
