import { expired, StatusError } from '../http/statusError.ts'
import { type KubeObject, withMeta } from '../object/kubeObject.ts'
import { type Collection, createCollection, keyOfObject, namespacedName } from './collection.ts'

export type StoreEventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** One write: the object after and before it. */
export interface StoreEvent {
  readonly type: StoreEventType
  readonly resource: string
  readonly resourceVersion: number
  readonly object: KubeObject
  readonly previous: KubeObject | undefined
}

export type StoreListener = (event: StoreEvent) => void

/**
 * The objects of all resources under one version counter, with a bounded history of writes. Resources are named
 * `plural.group` (`pods`, `deployments.apps`). Objects are never changed in place.
 */
export interface Store {
  readonly resourceVersion: number
  get(resource: string, namespace: string, name: string): KubeObject | undefined
  list(resource: string, namespace: string): KubeObject[]
  /** Returns the objects as they were at a version. Throws 410 if the history does not reach back that far. */
  listAt(resource: string, namespace: string, resourceVersion: number): KubeObject[]
  count(resource: string): number
  add(resource: string, object: KubeObject): KubeObject
  replace(resource: string, object: KubeObject): KubeObject
  remove(resource: string, object: KubeObject): KubeObject
  /** Returns the writes of a resource after a version. Throws 410 if the history does not reach back that far. */
  since(resource: string, resourceVersion: number): readonly StoreEvent[]
  /** Calls the listener for the writes of one resource, or of all (`*`). Returns the function that stops this. */
  listen(resource: string, listener: StoreListener): () => void
  /** Drops the history. Every watch or page that starts from an older version gets 410. */
  compact(): void
  drop(resource: string): void
}

export interface StoreOptions {
  /** How many writes of each resource are kept at least. */
  readonly history: number
}

interface History {
  events: StoreEvent[]
  /** Writes up to this version are dropped. */
  compactedTo: number
}

export function createStore(options: StoreOptions): Store {
  const collections = new Map<string, Collection>()
  const histories = new Map<string, History>()
  const listeners = new Map<string, Set<StoreListener>>()
  let resourceVersion = 1

  const collection = (resource: string): Collection => obtain(collections, resource, createCollection)
  const history = (resource: string): History => obtain(histories, resource, () => ({ events: [], compactedTo: 0 }))

  function record(type: StoreEventType, resource: string, object: KubeObject, previous: KubeObject | undefined): KubeObject {
    resourceVersion++
    const stamped = withMeta(object, { resourceVersion: String(resourceVersion) })
    const event: StoreEvent = { type, resource, resourceVersion, object: stamped, previous }
    remember(history(resource), event, options.history)
    const key = keyOfObject(stamped)
    if (type === 'DELETED') collection(resource).remove(key)
    else collection(resource).put(key, stamped)
    for (const listener of listeners.get(resource) ?? []) listener(event)
    for (const listener of listeners.get('*') ?? []) listener(event)
    return stamped
  }

  function since(resource: string, from: number): readonly StoreEvent[] {
    const { events, compactedTo } = history(resource)
    if (from < compactedTo) throw tooOld(from, compactedTo)
    return events.slice(firstAfter(events, from))
  }

  const current = (resource: string, object: KubeObject): KubeObject | undefined => collection(resource).get(keyOfObject(object))

  return {
    get resourceVersion() {
      return resourceVersion
    },
    get: (resource, namespace, name) => collection(resource).get(namespacedName(namespace, name)),
    list: (resource, namespace) => collection(resource).all(namespace),
    listAt: (resource, namespace, version) => {
      if (version > resourceVersion) throw tooNew(version, resourceVersion)
      return undo(collection(resource).all(''), since(resource, version)).filter(
        (object) => namespace === '' || object.metadata.namespace === namespace,
      )
    },
    count: (resource) => collection(resource).size,
    add: (resource, object) => record('ADDED', resource, object, undefined),
    replace: (resource, object) => record('MODIFIED', resource, object, current(resource, object)),
    remove: (resource, object) => record('DELETED', resource, object, current(resource, object)),
    since,
    listen: (resource, listener) => {
      const heard = obtain(listeners, resource, () => new Set<StoreListener>())
      heard.add(listener)
      return () => heard.delete(listener)
    },
    compact: () => {
      for (const resource of collections.keys()) histories.set(resource, { events: [], compactedTo: resourceVersion })
    },
    drop: (resource) => {
      collections.delete(resource)
      histories.set(resource, { events: [], compactedTo: resourceVersion })
    },
  }
}

function obtain<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Drops the older half at once when there are twice as many events as needed, so that a write does not shift the list. */
function remember(history: History, event: StoreEvent, most: number): void {
  history.events.push(event)
  if (history.events.length <= most * 2) return
  const dropped = history.events.splice(0, history.events.length - most)
  history.compactedTo = dropped.at(-1)?.resourceVersion ?? history.compactedTo
}

function firstAfter(events: readonly StoreEvent[], version: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.resourceVersion ?? 0) <= version) low = middle + 1
    else high = middle
  }
  return low
}

function undo(objects: readonly KubeObject[], events: readonly StoreEvent[]): KubeObject[] {
  if (events.length === 0) return [...objects]
  const byKey = new Map(objects.map((object) => [keyOfObject(object), object]))
  for (const event of events.toReversed()) {
    const key = keyOfObject(event.object)
    if (event.previous === undefined) byKey.delete(key)
    else byKey.set(key, event.previous)
  }
  return [...byKey.entries()].sort(([first], [second]) => (first < second ? -1 : 1)).map(([, object]) => object)
}

function tooOld(from: number, compactedTo: number): StatusError {
  return expired(`too old resource version: ${from} (${compactedTo})`)
}

export function tooNew(asked: number, current: number): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  })
}
