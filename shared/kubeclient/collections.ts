import { StringDecoder } from 'node:string_decoder'
import { err, ok, type Result, textOf } from '../base/result.ts'
import { type KubeConnection, type KubeRequester, openKube } from './client.ts'
import { faultOf, isSuccess, type KubeAnswer, statusOf } from './status.ts'

/** What this client itself reads of an object. */
export type Named = { readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion?: string } }

export type ListRequest = {
  readonly path: string
  readonly query?: { readonly [name: string]: string | undefined }
  /** The most objects of one page. Absent: the list has one page. */
  readonly limit?: number
  readonly isPacked?: boolean
}

/** Watching from `resourceVersion` misses nothing that came after the list. */
export type Listed = { readonly resourceVersion: string; readonly pages: number }

/** Attempts to read a list. All pages are from one version, which the server keeps only for minutes. */
const MOST_LISTS = 3
/** The server ends a watch after this long. Silence for well beyond it means that the connection is dead. */
const WATCH_SECONDS = 290
const WATCH_SILENCE_MS = (WATCH_SECONDS + 30) * 1000
/** In the place of the body of an answer that should be a list. */
export const NO_LIST = { message: 'the answer is no list' }

/**
 * Reads a collection page by page. Each object is handed on at once, and only the current page is held. Without a resourceVersion in the query the
 * read is consistent: it shows at least everything that any watch has shown before. The error is the answer that is not a page. With status 410
 * reading took longer than the server keeps the version of the first page, and the caller has to begin again.
 */
export async function listPages(
  ask: KubeRequester,
  { path, query, limit, isPacked = false }: ListRequest,
  onItem: (item: unknown) => void,
  signal: AbortSignal,
): Promise<Result<Listed, KubeAnswer>> {
  let token: string | undefined
  for (let pages = 1; ; pages++) {
    const paged = { ...query, limit: limit?.toString(), continue: token }
    const page = pageOf(await ask({ method: 'GET', path, query: paged, isPacked }, signal))
    if (!page.ok) return page
    for (const item of page.value.items) onItem(item)
    token = page.value.next
    if (token === undefined) return ok({ resourceVersion: page.value.resourceVersion, pages })
  }
}

/** Returns all objects of a collection, from one version. Begins again if reading the pages takes too long. */
export async function listAll(
  ask: KubeRequester,
  request: ListRequest,
  signal: AbortSignal,
): Promise<Result<readonly unknown[], KubeAnswer>> {
  for (let attempt = 1; ; attempt++) {
    const items: unknown[] = []
    const listed = await listPages(ask, request, (item) => items.push(item), signal)
    if (listed.ok) return ok(items)
    if (listed.error.status !== 410 || attempt === MOST_LISTS) return listed
  }
}

export type WatchRequest = {
  readonly path: string
  /** The resourceVersion after which the events begin. */
  readonly from: string
  readonly query?: { readonly [name: string]: string | undefined }
  /** Longest silence on the connection, in milliseconds. Default: half a minute more than the server lets a watch run. */
  readonly silenceMs?: number
}

/** Is called for each event of a watch. The calls must not wait for anything. */
export type WatchListener<Item> = {
  /** The server has begun to answer. From now on, silence means that nothing changes. */
  opened?(): void
  saw(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Item): void
}

/**
 * The resourceVersion from which the next watch goes on. `broke` says why this watch ended; it is undefined if the server ended the watch in order.
 */
export type WatchEnd = { readonly version: string; readonly broke?: string }

/**
 * Streams the changes of a collection, until the connection ends. The listener is called for each line as it comes. Bookmarks only move the version.
 * Throws a Fault if the server refuses the watch, by a status or by an ERROR event (`statusOf`; 410: the version is too old), or cannot be reached.
 */
export async function watchKube<Item extends Named>(
  connection: KubeConnection,
  { path, from, query, silenceMs = WATCH_SILENCE_MS }: WatchRequest,
  listener: WatchListener<Item>,
  signal: AbortSignal,
): Promise<WatchEnd> {
  const watch = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: from, timeoutSeconds: String(WATCH_SECONDS) }
  const opened = await openKube(connection, { method: 'GET', path, query: { ...query, ...watch }, silenceMs }, signal)
  if ('refusal' in opened) throw faultOf(opened.refusal, 'watch', path)
  listener.opened?.()
  let version = from
  const take = (line: string): void => {
    const event = readWatchEvent<Item>(line)
    if (event.type === 'ERROR') throw faultOf(event.refusal, 'watch', path)
    if (event.type !== 'BOOKMARK') listener.saw(event.type, event.object)
    version = (event.type === 'BOOKMARK' ? event.version : event.object.metadata.resourceVersion) ?? version
  }
  const lines = createLineSplitter(take)
  try {
    for await (const chunk of opened.stream) lines(chunk)
  } catch (error) {
    signal.throwIfAborted()
    if (statusOf(error) !== undefined) throw error
    return { version, broke: textOf(error) }
  } finally {
    opened.stream.destroy()
  }
  return { version }
}

export type WatchEvent<Item> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Item }
  /** Holds only the resourceVersion that the watch has reached. */
  | { readonly type: 'BOOKMARK'; readonly version: string | undefined }
  | { readonly type: 'ERROR'; readonly refusal: KubeAnswer }

type EventJson = {
  readonly type: WatchEvent<unknown>['type']
  readonly object?: { readonly metadata?: Partial<Named['metadata']> | null; readonly code?: number } | null
}

/** Reads a line of a watch. An object without a name counts as a bookmark. */
export function readWatchEvent<Item extends Named>(line: string): WatchEvent<Item> {
  // API servers keep to this shape, and to the shape of the objects of the path.
  const { type, object }: EventJson = JSON.parse(line)
  if (type === 'ERROR') return { type, refusal: { status: object?.code ?? 500, json: object } }
  if (type === 'BOOKMARK' || !isNamed<Item>(object)) return { type: 'BOOKMARK', version: object?.metadata?.resourceVersion }
  return { type, object }
}

/**
 * Reports whether the entry has a name. The API server names every object; an entry without a name is left out, so that it cannot stop the others.
 * The path of the collection decides what else the object has.
 */
export function isNamed<Item extends Named>(object: unknown): object is Item {
  if (typeof object !== 'object' || object === null || !('metadata' in object)) return false
  const { metadata } = object
  return typeof metadata === 'object' && metadata !== null && 'name' in metadata && typeof metadata.name === 'string'
}

type ListJson = {
  /** Null: an empty list of a server that is written in Go. */
  readonly items: readonly unknown[] | null
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string } | null
}
type Page = { readonly items: readonly unknown[]; readonly resourceVersion: string; readonly next: string | undefined }

/** An answer that is no list must not count as an empty list, which would mean that no object exists any more. */
function pageOf(answer: KubeAnswer): Result<Page, KubeAnswer> {
  const { status, json } = answer
  if (!isSuccess(answer)) return err(answer)
  if (!isList(json)) return err({ status, json: NO_LIST })
  const { continue: next, resourceVersion = '' } = json.metadata ?? {}
  return ok({ items: json.items ?? [], resourceVersion, next: next || undefined })
}

function isList(json: unknown): json is ListJson {
  return typeof json === 'object' && json !== null && 'items' in json && (json.items === null || Array.isArray(json.items))
}

/** Cuts chunks into lines. Only the unfinished last line is held. */
export function createLineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  return (chunk) => {
    const text = decoder.write(chunk)
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = rest + text.slice(start, end)
      rest = ''
      start = end + 1
      if (line !== '') onLine(line)
    }
    rest += text.slice(start)
  }
}
