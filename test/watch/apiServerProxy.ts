import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import { pipeline } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { KubeConnection } from '../../local/cluster/client/connection.ts'
import { listenOnLoopback } from '../../shim/testing/listenOnLoopback.ts'

/** A proxy to the API server that a test can shut. All requests through it are the administrator's. */
export interface ApiServerProxy {
  readonly url: string
  /** The paths of the watches that were answered with 410, in order. */
  readonly gone: readonly string[]
  /** Cuts every watch and refuses new ones until `allowWatches`. */
  cutWatches(): void
  allowWatches(): void
  /** Answers renewals of the leader's Lease during the work, even without an API server. Without a new term, losses of the watch stay visible. */
  keepingLease(work: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

export async function openApiServerProxy({ url, ca, credential }: KubeConnection): Promise<ApiServerProxy> {
  if (credential.kind !== 'certificate') throw new Error('the door needs a certificate')
  const agent = new Agent({ keepAlive: true, cert: credential.certificate, key: credential.key, ...(ca === undefined ? {} : { ca }) })
  const gone: string[] = []
  const watches = new Set<ServerResponse>()
  let isCut = false
  let isLeaseKept = false

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const path = incoming.url ?? '/'
    const { host: _, ...headers } = incoming.headers
    const onward = request(new URL(path, url), { method: incoming.method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      if (path.includes('watch=true')) {
        watches.add(outgoing)
        if (answer.statusCode === 410) gone.push(path)
        answer.on('data', (chunk: Buffer) => {
          if (chunk.includes('"type":"ERROR"') && chunk.includes('"code":410')) gone.push(path)
        })
      }
      pipeline(answer, outgoing, () => watches.delete(outgoing))
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  }

  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/'
    if (isCut && path.includes('watch=true')) return void outgoing.destroy()
    if (isLeaseKept && path.includes('/leases/') && incoming.method === 'PUT') {
      void text(incoming).then((body) => outgoing.writeHead(200, { 'content-type': 'application/json' }).end(body))
      return
    }
    pass(incoming, outgoing)
  })
  const { port, close } = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    gone,
    cutWatches() {
      isCut = true
      for (const watch of watches) watch.destroy()
    },
    allowWatches() {
      isCut = false
    },
    async keepingLease(work) {
      isLeaseKept = true
      await work().finally(() => (isLeaseKept = false))
    },
    async close() {
      await close()
      agent.destroy()
    },
  }
}
