import type { Representation } from '../http/representation.ts'
import { badRequest, StatusError, statusObject } from '../http/statusError.ts'
import { type KubeObject, withMeta } from '../object/kubeObject.ts'
import { apiVersionOf } from '../resources/resource.ts'
import type { StoreEvent } from '../store/store.ts'
import type { Api, Target } from './api.ts'
import { type Filter, readCount, readFilter, readVersion } from './list.ts'

export interface WatchSink {
  readonly write: (line: Buffer | string) => void
  readonly end: () => void
}

export interface WatchRequest {
  readonly target: Target
  readonly query: URLSearchParams
  readonly representation: Representation
  readonly bookmarkMs: number
}

const DEFAULT_TIMEOUT_SECONDS = 1800

/** Streams the writes of a resource from a version on. Returns the function that ends the stream. */
export function watchObjects(api: Api, request: WatchRequest, sink: WatchSink): () => void {
  const { target, query } = request
  const plan = readPlan(target, query)
  const stream = createStream(api, request, plan, sink)
  const stop: (() => void)[] = []
  const finish = (): void => {
    for (const each of stop.splice(0)) each()
    sink.end()
  }
  try {
    stream.start()
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    sink.write(`{"type":"ERROR","object":${JSON.stringify(statusObject(error.answer))}}\n`)
    sink.end()
    return () => undefined
  }
  stop.push(api.store.listen(target.resource.storedAs, stream.hear))
  const ends = setTimeout(() => {
    stream.bookmark(false)
    finish()
  }, plan.timeoutSeconds * 1000)
  stop.push(() => clearTimeout(ends))
  if (plan.bookmarks) {
    const ticking = setInterval(() => stream.bookmark(false), request.bookmarkMs)
    stop.push(() => clearInterval(ticking))
  }
  return finish
}

interface Plan {
  readonly from: number | undefined
  readonly initialEvents: boolean
  readonly bookmarks: boolean
  readonly timeoutSeconds: number
  readonly filter: Filter | undefined
}

function readPlan(target: Target, query: URLSearchParams): Plan {
  const version = readVersion(query.get('resourceVersion') ?? '')
  const initial = readInitialEvents(query)
  return {
    from: initial === true || (version === 0 && initial === undefined) ? undefined : version,
    initialEvents: initial === true,
    bookmarks: query.get('allowWatchBookmarks') === 'true',
    timeoutSeconds: readCount(query, 'timeoutSeconds') ?? DEFAULT_TIMEOUT_SECONDS,
    filter: watchFilter(target, query),
  }
}

function readInitialEvents(query: URLSearchParams): boolean | undefined {
  const asked = query.get('sendInitialEvents')
  const match = query.get('resourceVersionMatch') ?? ''
  if (asked === null && match !== '') throw badRequest('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
  if (asked !== null && match !== 'NotOlderThan')
    throw badRequest('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  return asked === null ? undefined : asked === 'true'
}

function watchFilter(target: Target, query: URLSearchParams): Filter | undefined {
  const filter = readFilter(target.resource, query)
  const { name } = target
  if (name === '') return filter
  return (object) => object.metadata.name === name && (!filter || filter(object))
}

interface Stream {
  start(): void
  hear(event: StoreEvent): void
  bookmark(initialEnd: boolean): void
}

function createStream(api: Api, request: WatchRequest, plan: Plan, sink: WatchSink): Stream {
  const { target, representation } = request
  const { storedAs } = target.resource
  let first = true
  const inNamespace = (object: KubeObject): boolean => target.namespace === '' || object.metadata.namespace === target.namespace
  const matches = (object: KubeObject): boolean => inNamespace(object) && (!plan.filter || plan.filter(object))

  const send = (type: string, object: KubeObject): void => {
    sink.write(`{"type":"${type}","object":${representation.event(object, first)}}\n`)
    first = false
  }

  const hear = (event: StoreEvent): void => {
    const type = seenAs(event, matches)
    if (type === undefined) return
    if (representation.shared === undefined) send(type, shownObject(event, type))
    else sink.write(sharedLine(event, type, representation))
  }

  const bookmark = (initialEnd: boolean): void => {
    if (!plan.bookmarks) return
    const annotations = initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
    const object = {
      kind: target.resource.kind,
      apiVersion: apiVersionOf(target.resource.group, target.version.name),
      metadata: { resourceVersion: String(api.store.resourceVersion), creationTimestamp: null, ...annotations },
    }
    sink.write(`{"type":"BOOKMARK","object":${JSON.stringify(object)}}\n`)
  }

  const start = (): void => {
    if (plan.from !== undefined) {
      for (const event of api.store.since(storedAs, plan.from)) hear(event)
      return
    }
    for (const object of api.store.list(storedAs, target.namespace)) if (matches(object)) send('ADDED', object)
    if (plan.initialEvents) bookmark(true)
  }

  return { start, hear, bookmark }
}

/** Returns how a filtered watch sees a write: an object that stops matching is deleted, and an object that starts matching is added. */
function seenAs(event: StoreEvent, matches: Filter): StoreEvent['type'] | undefined {
  const before = event.previous !== undefined && matches(event.previous)
  if (event.type === 'DELETED') return before ? 'DELETED' : undefined
  const now = matches(event.object)
  if (now) return before ? 'MODIFIED' : 'ADDED'
  return before ? 'DELETED' : undefined
}

/** An object that no longer matches is shown as it last matched, with the version of the write that changed it. */
function shownObject(event: StoreEvent, type: StoreEvent['type']): KubeObject {
  if (type !== 'DELETED' || event.type === 'DELETED' || event.previous === undefined) return event.object
  return withMeta(event.previous, { resourceVersion: String(event.resourceVersion) })
}

/** Lines are written once for each version of an object. All watchers with the same representation share them. */
const lines = new WeakMap<StoreEvent, Map<string, Buffer>>()

function sharedLine(event: StoreEvent, type: string, representation: Representation): Buffer {
  const known = lines.get(event) ?? new Map<string, Buffer>()
  if (known.size === 0) lines.set(event, known)
  const key = `${type} ${representation.shared ?? ''}`
  const line = known.get(key) ?? Buffer.from(`{"type":"${type}","object":${representation.event(shownObject(event, seen(type)), false)}}\n`)
  known.set(key, line)
  return line
}

function seen(type: string): StoreEvent['type'] {
  return type === 'ADDED' || type === 'DELETED' ? type : 'MODIFIED'
}
