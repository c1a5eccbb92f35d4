import { byText, leastOf, placeIn } from '../../base/lists.ts'
import { isSame } from '../../base/values.ts'
import { OBJECT_KINDS, type ObjectByKind, type ObjectKind } from '../../model/clusterObjects.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import { type NodeClaimName, type NodeName, type ObjectKey, type Uid, uid } from '../../model/ids.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Clock } from '../../ports/clock.ts'
import { storedCopy } from './storedCopy.ts'

/** A change as a watch of the cluster reports it. */
export type ObjectChange = { readonly op: 'put' | 'delete'; readonly kind: ObjectKind; readonly key: string }

export type PublishedEvent = { readonly event: ClusterEvent; readonly count: number; readonly firstAt: EpochMs; readonly lastAt: EpochMs }
export type BootstrapToken = { readonly claim: NodeClaimName; readonly token: string; readonly expiresAt: EpochMs }

/** The objects of one cluster, with the metadata rules of an API server. A test may put and remove any object. */
export type ClusterObjects = {
  get<Kind extends ObjectKind>(kind: Kind, key: string): ObjectByKind[Kind] | undefined
  /** Returns all objects of a kind in the order of their keys. */
  all<Kind extends ObjectKind>(kind: Kind): readonly ObjectByKind[Kind][]
  /** Stores an object with a new resource version and returns the stored object. The same content again changes nothing. */
  put<Kind extends ObjectKind>(kind: Kind, object: ObjectByKind[Kind]): ObjectByKind[Kind]
  /** Removes an object at once, even if it has finalizers. */
  remove(kind: ObjectKind, key: string): void
  /** Deletes an object as an API server does: an object with finalizers is only marked. */
  delete(kind: 'node' | 'nodeClaim' | 'nodeClass', key: string): void
  /** Binds a pod to a node, as a scheduler does. */
  bind(pod: ObjectKey, node: NodeName): void
  /** Terminates a pod, which takes `exitMs`. */
  endPod(pod: ObjectKey, exitMs: number): void
  /** What the scheduler says about pods that it does not bind, by uid. */
  readonly schedulerMessages: Map<Uid, string>
  newUid(): Uid
  listen(listener: (change: ObjectChange) => void): () => void
  readonly events: PublishedEvent[]
  /** The index in `events`, by the content of the Event. */
  readonly eventPlaces: Map<string, number>
  /** Bootstrap tokens by id. */
  readonly tokens: Map<string, BootstrapToken>
}

type Stored = { readonly [Kind in ObjectKind]: Shelf<ObjectByKind[Kind]> }

export function createClusterObjects(clock: Clock): ClusterObjects {
  const exits = new Map<string, { readonly at: number; readonly uid: Uid }>()
  let nextExitAt = Number.POSITIVE_INFINITY
  const table = createObjectTable(() => {
    if (clock.now() < nextExitAt) return
    // Removing a pod reads the table, and sweeps again.
    nextExitAt = Number.POSITIVE_INFINITY
    for (const [key, { at, uid: leaving }] of exits) {
      // A new pod may have the name by now.
      if (at <= clock.now() && exits.delete(key) && table.get('pod', key)?.uid === leaving) table.remove('pod', key)
    }
    nextExitAt = leastOf([...exits.values()].map(({ at }) => at))
  })
  let uids = 0
  return {
    ...table,
    delete: (kind, key) => {
      if (kind === 'node') deleteOne(table, kind, table.get('node', key), clock)
      else if (kind === 'nodeClass') deleteOne(table, kind, table.get('nodeClass', key), clock)
      else deleteOne(table, kind, table.get('nodeClaim', key), clock)
    },
    bind: (key, nodeName) => {
      const pod = table.get('pod', key)
      if (pod === undefined) return
      const { unschedulableSince: _scheduled, ...rest } = pod
      table.put('pod', { ...rest, nodeName, scheduledAt: clock.now(), phase: 'Running' })
    },
    endPod: (key, exitMs) => {
      const pod = table.get('pod', key)
      if (pod === undefined) return
      if (exitMs <= 0) return table.remove('pod', key)
      const at = clock.now() + exitMs
      exits.set(key, { at: Math.min(at, exits.get(key)?.at ?? at), uid: pod.uid })
      nextExitAt = Math.min(nextExitAt, at)
      table.put('pod', { deletedAt: clock.now(), ...pod })
    },
    schedulerMessages: new Map(),
    newUid: () => uid(`uid-memory-${++uids}`),
    events: [],
    eventPlaces: new Map(),
    tokens: new Map(),
  }
}

type ObjectTable = Pick<ClusterObjects, 'get' | 'all' | 'put' | 'remove' | 'listen'>

/** A table of objects. `sweep` runs before each read and removes pods that have terminated by now. */
function createObjectTable(sweep: () => void): ObjectTable {
  const stored = emptyStore()
  const listeners = new Set<(change: ObjectChange) => void>()
  let versions = 0
  const tell = (change: ObjectChange): void => {
    for (const listener of listeners) listener(change)
  }
  return {
    get: (kind, key) => {
      sweep()
      return stored[kind].get(key)
    },
    all: (kind) => {
      sweep()
      return stored[kind].inOrder()
    },
    put: (kind, object) => {
      const key = objectKeyOf(object)
      const known = stored[kind].get(key)
      const copy = storedCopy(object)
      if (known !== undefined && isSame(withVersion(known, ''), withVersion(copy, ''))) return known
      const next = withVersion(copy, String(++versions))
      stored[kind].set(key, next)
      tell({ op: 'put', kind, key })
      return next
    },
    remove: (kind, key) => {
      if (stored[kind].delete(key)) tell({ op: 'delete', kind, key })
    },
    listen: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The key of an object: `name` or `namespace/name`. */
export function objectKeyOf(object: { readonly key: string } | { readonly name: string }): string {
  return 'key' in object ? object.key : object.name
}

function deleteOne<Kind extends 'node' | 'nodeClaim' | 'nodeClass'>(
  table: ObjectTable,
  kind: Kind,
  object: ObjectByKind[Kind] | undefined,
  clock: Clock,
): void {
  if (object === undefined) return
  if (object.meta.finalizers.length === 0) return table.remove(kind, object.name)
  if (object.meta.deletedAt === undefined) table.put(kind, { ...object, meta: { ...object.meta, deletedAt: clock.now() } })
}

function withVersion<Kind extends object>(object: Kind, resourceVersion: string): Kind {
  return 'meta' in object && typeof object.meta === 'object' ? { ...object, meta: { ...object.meta, resourceVersion } } : object
}

function emptyStore(): Stored {
  const empty = Object.fromEntries(OBJECT_KINDS.map((kind) => [kind, createShelf()]))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built from the closed list of all kinds
  return empty as Stored
}

type Shelf<Stored> = Pick<Map<string, Stored>, 'get' | 'delete'> & {
  set(key: string, object: Stored): void
  inOrder(): readonly Stored[]
}

/** The objects of one kind. The keys stay sorted, and the list is made again only if an object changed since the last read of all objects. */
function createShelf<Stored>(): Shelf<Stored> {
  const objects = new Map<string, Stored>()
  const keys: string[] = []
  let ordered: readonly Stored[] | undefined
  return {
    get: (key) => objects.get(key),
    set: (key, object) => {
      ordered = undefined
      if (!objects.has(key)) keys.splice(placeIn(keys, key, byText), 0, key)
      objects.set(key, object)
    },
    delete: (key) => {
      if (!objects.delete(key)) return false
      ordered = undefined
      keys.splice(placeIn(keys, key, byText), 1)
      return true
    },
    inOrder: () => (ordered ??= keys.flatMap((key) => objects.get(key) ?? [])),
  }
}
