import { err, ok, type Result } from '../../../shared/base/result.ts'
import type { KubeClient, Refusal } from './kubeClient.ts'
import { objectKeyOf, type Stored } from './objects.ts'
import { collectionPath, type Resource } from './resource.ts'

/** All objects of one resource, kept up to date by a watch. */
export interface Informer<Item extends Stored> {
  /** Resolves once the first list is in. */
  readonly synced: Promise<void>
  get(key: string): Item | undefined
  items(): Iterable<Item>
  /** Calls the listener for each object that is known already, then for each object that comes, changes or goes. */
  onChange(listener: ChangeListener<Item>): void
  /** Puts in an object that we just wrote, so that the next read does not miss our own write. */
  observe(item: Item): void
  /** Removes an object that we just deleted for good. */
  forget(item: Item): void
  close(): void
}

export type ChangeListener<Item> = (now: Item | undefined, before: Item | undefined) => void

export type InformerOptions = {
  readonly client: KubeClient
  readonly log?: (line: string) => void
  /** For example a field selector. */
  readonly query?: { readonly [name: string]: string }
}

const WATCH_SECONDS = 300
const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5000

type Store<Item extends Stored> = {
  readonly items: Map<string, Item>
  readonly listeners: ChangeListener<Item>[]
  /** Uids of objects that we deleted. Late events of them are ignored until the server reports them gone. */
  readonly gone: Set<string>
  /** The newest version that the server reported by a list or watch. */
  newest: number
}

/** Lists, then watches from that version. Lists again when the server no longer has the version. Survives restarts of the server. */
export function startInformer<Item extends Stored>(resource: Resource<Item>, options: InformerOptions): Informer<Item> {
  const store: Store<Item> = { items: new Map(), listeners: [], gone: new Set(), newest: 0 }
  const stop = new AbortController()
  let markSynced = () => {}
  const synced = new Promise<void>((resolve) => {
    markSynced = resolve
  })
  void follow(resource, options, store, markSynced, stop.signal)
  return {
    synced,
    get: (key) => store.items.get(key),
    items: () => store.items.values(),
    onChange: (listener) => {
      store.listeners.push(listener)
      for (const item of store.items.values()) listener(item, undefined)
    },
    observe: (item) => put(store, item),
    forget: (item) => {
      store.gone.add(item.metadata.uid)
      drop(store, objectKeyOf(item), item.metadata.uid)
    },
    close: () => stop.abort(),
  }
}

async function follow<Item extends Stored>(
  resource: Resource<Item>,
  options: InformerOptions,
  store: Store<Item>,
  markSynced: () => void,
  signal: AbortSignal,
): Promise<void> {
  let version: string | undefined
  let retryMs = FIRST_RETRY_MS
  while (!signal.aborted) {
    const outcome =
      version === undefined ? await relist(resource, options, store, signal) : await watch(resource, options, store, version, signal)
    if (outcome.ok) {
      version = outcome.value
      retryMs = FIRST_RETRY_MS
      markSynced()
      continue
    }
    if (signal.aborted) return
    version = outcome.error.resume
    if (outcome.error.code === GONE) continue
    options.log?.(`${resource.plural}: ${outcome.error.message}; trying again in ${retryMs} ms`)
    await pause(retryMs, signal)
    retryMs = Math.min(MAX_RETRY_MS, retryMs * 2)
  }
}

const GONE = 410

/** A refusal, and the version to resume the watch at. Undefined `resume` means a new list. */
type Broken = Refusal & { readonly resume: string | undefined }

async function relist<Item extends Stored>(
  resource: Resource<Item>,
  options: InformerOptions,
  store: Store<Item>,
  signal: AbortSignal,
): Promise<Result<string, Broken>> {
  const query = { ...options.query }
  const answer = await options.client.send<{ metadata: { resourceVersion: string }; items: readonly Item[] }>({
    method: 'GET',
    path: collectionPath(resource),
    query,
    signal,
  })
  if (!answer.ok) return err({ ...answer.error, resume: undefined })
  const { metadata, items } = answer.value
  const listVersion = versionOf(metadata.resourceVersion)
  // A list older than an earlier report: the server lost its data and started to count anew.
  const startedAnew = listVersion < store.newest
  store.newest = listVersion
  const listed = new Set<string>()
  for (const item of items) {
    listed.add(item.metadata.uid)
    put(store, item)
  }
  for (const [key, item] of store.items) {
    // Newer than the list: our own write, which the list does not hold yet.
    const ours = !startedAnew && versionOf(item.metadata.resourceVersion) > listVersion
    if (!listed.has(item.metadata.uid) && !ours) drop(store, key, item.metadata.uid)
  }
  for (const uid of store.gone) if (!listed.has(uid)) store.gone.delete(uid)
  return ok(metadata.resourceVersion)
}

type WatchLine<Item> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: Item }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly reason?: string; readonly message?: string } }

async function watch<Item extends Stored>(
  resource: Resource<Item>,
  options: InformerOptions,
  store: Store<Item>,
  from: string,
  signal: AbortSignal,
): Promise<Result<string, Broken>> {
  let version = from
  let refused: Refusal | undefined
  const query = {
    ...options.query,
    watch: 'true',
    resourceVersion: from,
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(WATCH_SECONDS),
  }
  const ended = await options.client.stream({ method: 'GET', path: collectionPath(resource), query, signal }, (text) => {
    // Each line of a watch is one JSON object.
    const line: WatchLine<Item> = JSON.parse(text)
    if (line.type === 'ERROR') {
      const { code = 0, reason = 'WatchError', message = 'the watch failed' } = line.object
      refused = { code, reason, message }
      return
    }
    version = line.object.metadata.resourceVersion
    store.newest = Math.max(store.newest, versionOf(version))
    if (line.type === 'DELETED') {
      store.gone.delete(line.object.metadata.uid)
      drop(store, objectKeyOf(line.object), line.object.metadata.uid)
    } else if (line.type !== 'BOOKMARK') put(store, line.object)
  })
  if (refused !== undefined) return err({ ...refused, resume: refused.code === GONE ? undefined : version })
  if (!ended.ok) {
    // After an HTTP error the version is unknown, or the server restarted. Only a broken connection may resume at the version.
    return err({ ...ended.error, resume: ended.error.code === 0 ? version : undefined })
  }
  return ok(version)
}

function put<Item extends Stored>(store: Store<Item>, item: Item): void {
  const key = objectKeyOf(item)
  const { uid, resourceVersion } = item.metadata
  if (store.gone.has(uid)) return
  const before = store.items.get(key)
  if (before?.metadata.uid === uid && versionOf(before.metadata.resourceVersion) >= versionOf(resourceVersion)) return
  store.items.set(key, item)
  for (const listener of store.listeners) listener(item, before)
}

function drop<Item extends Stored>(store: Store<Item>, key: string, uid: string): void {
  const before = store.items.get(key)
  if (before?.metadata.uid !== uid) return
  store.items.delete(key)
  for (const listener of store.listeners) listener(undefined, before)
}

/** Resource versions of one server are ordered numbers. Kubernetes promises this since 1.35, and it was true before. */
function versionOf(text: string): number {
  return Number(text)
}

/** Waits, or returns at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
