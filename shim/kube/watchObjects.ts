import { StringDecoder } from 'node:string_decoder'
import { textOf } from '../../shared/base/thrown.ts'
import { open, readText } from '../../shared/kubeclient/http.ts'
import type { KubeConnection } from './connection.ts'
import { type KubeObject, readWatchEvent } from './kubeJson.ts'
import { refused, statusOf } from './listObjects.ts'

/** The server ends a watch after this long. Silence for well beyond it means that the connection is dead. */
const WATCH_SECONDS = 290

export type WatchRequest = { readonly path: string; readonly from: string }

/** Is called for each event of a watch. The calls must not wait for anything. */
export type WatchListener = {
  /** The server has begun to answer. From now on, silence means that nothing changes. */
  opened(): void
  saw(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void
}

/**
 * The resourceVersion from which the next watch goes on. `broke` says why this watch ended; it is undefined if the server ended the watch in order.
 */
export type WatchEnd = { readonly version: string; readonly broke?: string }

/**
 * Streams the changes of a kind from a resourceVersion on, until the connection ends. The listener is called for each line as it comes. Bookmarks
 * only move the version. Throws a Fault if the server refuses the watch, by a status or by an ERROR event (410: the version is too old).
 */
export async function watchObjects(
  connection: KubeConnection,
  { path, from }: WatchRequest,
  listener: WatchListener,
  signal: AbortSignal,
): Promise<WatchEnd> {
  let version = from
  const url = new URL(path, connection.server)
  for (const [name, value] of watchQuery(from)) url.searchParams.set(name, value)
  const request = {
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    options: await connection.options(),
    silenceMs: (WATCH_SECONDS + 30) * 1000,
  }
  const response = await open(request, signal)
  if (response.statusCode !== 200) throw refused(`watch ${path}`, response.statusCode ?? 0, await readText(response, request))
  listener.opened()
  const take = (line: string): void => {
    const event = readWatchEvent(line)
    if (event.type === 'ERROR') throw refused(`watch ${path}`, event.code, event.message)
    if (event.type !== 'BOOKMARK') listener.saw(event.type, event.object)
    version = (event.type === 'BOOKMARK' ? event.version : event.object.metadata.resourceVersion) ?? version
  }
  const lines = createLineSplitter(take)
  try {
    for await (const chunk of response) lines(chunk)
  } catch (error) {
    signal.throwIfAborted()
    if (statusOf(error) !== undefined) throw error
    return { version, broke: textOf(error) }
  } finally {
    response.destroy()
  }
  return { version }
}

function watchQuery(from: string): readonly (readonly [string, string])[] {
  return [
    ['watch', 'true'],
    ['allowWatchBookmarks', 'true'],
    ['resourceVersion', from],
    ['timeoutSeconds', String(WATCH_SECONDS)],
  ]
}

/** Cuts chunks into lines. Only the unfinished last line is held. */
function createLineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
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
