import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { KubeConnection } from '../../shared/kubeclient/client.ts'
import { listenOnLoopback } from './listenOnLoopback.ts'

type Json = { metadata: { name: string; namespace?: string; resourceVersion?: string; [key: string]: unknown }; [key: string]: unknown }
type Entry = { readonly version: number; readonly type: string; readonly object: Json }
type Watcher = { readonly path: string; readonly response: ServerResponse }

/** The part of an API server that the shim uses: lists in pages, watches, leases with optimistic locking. */
export interface FakeKube {
  readonly connection: KubeConnection
  readonly port: number
  /** Serves a collection, possibly empty. Everything else is 404. */
  serve(path: string): void
  put(path: string, object: Json): void
  remove(path: string, key: string): void
  /** Forgets the history. Watches from an earlier version get status 410. */
  compact(): void
  breakWatches(): void
  /** Ends watches in order, as a server does when their time is over. */
  closeWatches(): void
  /** Sends the event as it is to all watches of the collection. */
  say(path: string, event: object): void
  /** The versions from which watches of the collection asked to go on. */
  watchedFrom(path: string): readonly number[]
  /** Writes the name of another replica on the lease. */
  stealLease(holder: string): void
  leaseHolder(): unknown
  lists(path: string): number
  /** Answers the next lists with this status. */
  failLists(status: number, times: number): void
  /** Answers the next list of the collection with 410 after `pages` pages. Calls `meanwhile` first, to change the collection. */
  expireListAfterPage(path: string, pages: number, meanwhile: () => void): void
  /** Answers the next watches with this status. */
  failWatches(status: number, times: number): void
  close(): Promise<void>
}

export async function createFakeKube(collections: readonly string[]): Promise<FakeKube> {
  const store = new Map<string, Map<string, Json>>(collections.map((path) => [path, new Map()]))
  const history: (Entry & { path: string })[] = []
  const watchers = new Set<Watcher>()
  const counts = new Map<string, number>()
  const froms: { readonly path: string; readonly from: number }[] = []
  const failing = { status: 0, times: 0 }
  const refusing = { status: 0, times: 0 }
  const expiring = new Map<string, { pagesLeft: number; readonly meanwhile: () => void }>()
  let version = 1
  let oldest = 0

  const leaseCollections = () => [...store].filter(([path]) => path.endsWith('/leases')).map(([, leases]) => leases)
  const keyOf = (object: Json) =>
    object.metadata.namespace ? `${object.metadata.namespace}/${object.metadata.name}` : object.metadata.name

  function record(path: string, type: string, object: Json): void {
    const entry = {
      path,
      version: ++version,
      type,
      object: { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } },
    }
    history.push(entry)
    if (type === 'DELETED') store.get(path)?.delete(keyOf(object))
    else store.get(path)?.set(keyOf(object), entry.object)
    for (const watcher of watchers) if (watcher.path === path) watcher.response.write(lineOf(entry))
  }

  function list(path: string, url: URL, response: ServerResponse): void {
    counts.set(path, (counts.get(path) ?? 0) + 1)
    if (failing.times-- > 0) return reply(response, failing.status, { message: 'failing on purpose' })
    const expiry = expiring.get(path)
    if (expiry !== undefined && expiry.pagesLeft-- === 0) {
      expiring.delete(path)
      expiry.meanwhile()
      return reply(response, 410, { message: 'the continue token is too old' })
    }
    const all = [...(store.get(path)?.values() ?? [])]
    const start = Number(url.searchParams.get('continue') ?? 0)
    const limit = Number(url.searchParams.get('limit') ?? all.length)
    const next = start + limit < all.length ? String(start + limit) : ''
    reply(response, 200, { metadata: { resourceVersion: String(version), continue: next }, items: all.slice(start, start + limit) })
  }

  function watch(path: string, url: URL, response: ServerResponse): void {
    const from = Number(url.searchParams.get('resourceVersion'))
    froms.push({ path, from })
    if (refusing.times-- > 0) return reply(response, refusing.status, { message: 'refusing on purpose' })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    if (from < oldest) return void response.end(`${JSON.stringify({ type: 'ERROR', object: { code: 410, message: 'too old' } })}\n`)
    for (const entry of history) if (entry.path === path && entry.version > from) response.write(lineOf(entry))
    const watcher = { path, response }
    watchers.add(watcher)
    response.on('close', () => watchers.delete(watcher))
  }

  async function lease(request: IncomingMessage, path: string, response: ServerResponse): Promise<void> {
    const isItem = !path.endsWith('/leases')
    const collection = isItem ? path.slice(0, path.lastIndexOf('/')) : path
    const leases = store.get(collection) ?? new Map<string, Json>()
    store.set(collection, leases)
    if (request.method === 'GET') {
      const found = leases.get(path)
      return found ? reply(response, 200, found) : reply(response, 404, {})
    }
    const body = JSON.parse(await textOf(request)) as Json
    const key = isItem ? path : `${path}/${body.metadata.name}`
    const present = leases.get(key)
    const isConflict = isItem ? present?.metadata.resourceVersion !== body.metadata.resourceVersion : present !== undefined
    if (isConflict) return reply(response, 409, {})
    const saved = { ...body, metadata: { ...body.metadata, resourceVersion: String(++version) } }
    leases.set(key, saved)
    reply(response, 200, saved)
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake')
    if (url.pathname.includes('/leases')) return void lease(request, url.pathname, response)
    if (!store.has(url.pathname)) return reply(response, 404, { message: 'not found' })
    if (url.searchParams.get('watch') === 'true') return watch(url.pathname, url, response)
    list(url.pathname, url, response)
  })
  const { port, close } = await listenOnLoopback(server)

  return {
    port,
    connection: { server: new URL(`http://127.0.0.1:${port}`), options: () => Promise.resolve({}) },
    serve: (path) => void store.set(path, store.get(path) ?? new Map()),
    put: (path, object) => record(path, store.get(path)?.has(keyOf(object)) ? 'MODIFIED' : 'ADDED', object),
    remove(path, key) {
      const object = store.get(path)?.get(key)
      if (object) record(path, 'DELETED', object)
    },
    compact() {
      oldest = version + 1
      version += 1
      history.length = 0
      for (const watcher of watchers) watcher.response.destroy()
    },
    closeWatches() {
      for (const watcher of watchers) watcher.response.end()
    },
    breakWatches() {
      for (const watcher of watchers) watcher.response.destroy()
    },
    say(path, event) {
      for (const watcher of watchers) if (watcher.path === path) watcher.response.write(`${JSON.stringify(event)}\n`)
    },
    watchedFrom: (path) => froms.filter((each) => each.path === path).map(({ from }) => from),
    stealLease(holder) {
      for (const leases of leaseCollections())
        for (const [key, lease] of leases) {
          const spec = { ...(lease['spec'] as object), holderIdentity: holder }
          leases.set(key, { ...lease, spec, metadata: { ...lease.metadata, resourceVersion: String(++version) } })
        }
    },
    leaseHolder: () =>
      leaseCollections().flatMap((leases) =>
        [...leases.values()].map(({ spec }) => (spec as { holderIdentity: unknown }).holderIdentity),
      )[0],
    lists: (path) => counts.get(path) ?? 0,
    failLists: (status, times) => Object.assign(failing, { status, times }),
    expireListAfterPage: (path, pages, meanwhile) => void expiring.set(path, { pagesLeft: pages, meanwhile }),
    failWatches: (status, times) => Object.assign(refusing, { status, times }),
    close,
  }
}

function lineOf({ type, object }: Entry): string {
  return `${JSON.stringify({ type, object })}\n`
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
