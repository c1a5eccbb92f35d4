import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { largestOf } from '../shared/base/lists.ts'
import { nodeHttp } from '../shared/kubeclient/http.ts'
import type { Clock } from './clock.ts'
import type { ShimMetrics } from './metrics.ts'

/** Returns the reasons why the shim is not ready. Empty if it is ready. */
export type Readiness = () => readonly string[]

export type Served = { readonly readiness: Readiness; readonly karpenterMetrics?: () => Iterable<string> }

export type Probes = { readonly port: number; close(): void }

/** An event loop that is blocked for this long is as good as dead. */
const UNHEALTHY_LAG_MS = 5_000
const TICK_MS = 500
const REMEMBER_MS = 10_000

/** Serves `/healthz` (is the event loop alive), `/readyz` (are there reasons against being ready) and `/metrics` (Prometheus text). */
export async function startProbes(
  port: number,
  { readiness, karpenterMetrics = () => [] }: Served,
  metrics: ShimMetrics,
  clock: Clock,
): Promise<Probes> {
  const lag = watchLag(clock)
  const server = nodeHttp.createServer((request, response) => {
    void answer(request.url ?? '/').then(({ status, type, pieces }) => {
      response.writeHead(status, { 'content-type': type })
      // A pipeline waits while the reader is slow. A reader that goes away ends it.
      return pipeline(Readable.from(paced(pieces)), response).catch(() => undefined)
    })
  })

  async function answer(path: string): Promise<Answer> {
    const worst = lag.worstMs()
    if (path === '/metrics') {
      metrics.eventLoopLag.set(worst / 1000)
      return { status: 200, type: metrics.contentType, pieces: joined([await metrics.text()], karpenterMetrics()) }
    }
    if (path === '/healthz') return plain(worst < UNHEALTHY_LAG_MS ? [] : [`the event loop was blocked for ${Math.round(worst)} ms`])
    if (path === '/readyz') return plain(readiness())
    return { status: 404, type: 'text/plain', pieces: ['try /healthz, /readyz or /metrics\n'] }
  }

  const bound = await listen(server, port)
  return {
    port: bound,
    close() {
      lag.stop()
      server.close()
      server.closeAllConnections()
    },
  }
}

type Answer = { readonly status: number; readonly type: string; readonly pieces: Iterable<string> }

/** The pieces, with a turn of other work after each. */
async function* paced(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    if (piece !== '') yield piece
    await setImmediate()
  }
}

function* joined(...texts: readonly Iterable<string>[]): Generator<string> {
  for (const text of texts) yield* text
}

function plain(unreadyReasons: readonly string[]): Answer {
  return {
    status: unreadyReasons.length === 0 ? 200 : 503,
    type: 'text/plain',
    pieces: [`${unreadyReasons.length === 0 ? 'ok' : unreadyReasons.join('\n')}\n`],
  }
}

function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.on('error', reject)
  server.listen(port, () => resolve(portOf(server.address())))
  return promise
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Measures the event loop's lag: the worst delay of a wait in the last ten seconds. */
function watchLag(clock: Clock): { worstMs(): number; stop(): void } {
  const stopping = new AbortController()
  let delays: { readonly at: number; readonly ms: number }[] = []

  async function watch(): Promise<void> {
    for (;;) {
      const expected = clock.monotonic() + TICK_MS
      await clock.sleep(TICK_MS, stopping.signal)
      const at = clock.monotonic()
      delays = [...delays.filter((delay) => at - delay.at < REMEMBER_MS), { at, ms: Math.max(0, at - expected) }]
    }
  }

  // The loop ends only by `stop`, which rejects.
  watch().catch(() => {})
  return {
    worstMs: () =>
      largestOf(
        delays.map((delay) => delay.ms),
        0,
      ),
    stop: () => stopping.abort(new DOMException('stopped', 'AbortError')),
  }
}
