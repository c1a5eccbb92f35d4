import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { unpacked } from '../shim/testing/unpacked.ts'
import { realisticPod } from './shimPods.ts'

/** An API server with N pods that exist only while they are written out, so that the bench itself stays small. */
export type PodServer = {
  readonly url: string
  /** Changes a pod. */
  change(index: number): void
  close(): void
}

const PODS = '/api/v1/pods'

export async function startPodServer(pods: number): Promise<PodServer> {
  let version = 1
  const rounds = new Map<number, number>()
  const watchers = new Set<ServerResponse>()
  const podAt = (index: number) => realisticPod(index, { round: rounds.get(index) ?? 0, resourceVersion: version })

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://bench')
    if (url.pathname.includes('/leases')) return void answerLease(request.method ?? 'GET', response)
    response.setHeader('content-type', 'application/json')
    if (url.searchParams.get('watch') === 'true') {
      response.flushHeaders()
      if (url.pathname === PODS) watchers.add(response)
      return
    }
    const count = url.pathname === PODS ? pods : 0
    const start = Number(url.searchParams.get('continue') ?? 0)
    const end = Math.min(count, start + Number(url.searchParams.get('limit') ?? count))
    const items: string[] = []
    for (let index = start; index < end; index++) items.push(JSON.stringify(podAt(index)))
    const next = end < count ? String(end) : ''
    response.end(`{"kind":"List","metadata":{"resourceVersion":"${version}","continue":"${next}"},"items":[${items.join(',')}]}`)
  })
  const url = await listen(server)
  return {
    url,
    change(index) {
      version++
      rounds.set(index, (rounds.get(index) ?? 0) + 1)
      const line = `${JSON.stringify({ type: 'MODIFIED', object: podAt(index) })}\n`
      for (const watcher of watchers) watcher.write(line)
    },
    close: () => close(server),
  }
}

/** Answers for a lease that is always free: each writer gets it. */
function answerLease(method: string, response: ServerResponse): void {
  const lease = { metadata: { resourceVersion: '1' }, spec: {} }
  response
    .writeHead(method === 'POST' ? 201 : method === 'GET' ? 404 : 200, { 'content-type': 'application/json' })
    .end(JSON.stringify(lease))
}

export type SeenChange = { readonly key: string; readonly round: number; readonly at: number }

/** An app that accepts everything and keeps what the bench counts. */
export type AppServer = {
  readonly url: string
  readonly seen: SeenChange[]
  readonly bytes: { changes: number; snapshot: number }
  readonly counts: { changes: number; snapshot: number }
  /** The time at which the last part of the first snapshot was accepted. Undefined before. */
  snapshotAt(): number | undefined
  close(): void
}

type Posted = {
  body: {
    kind: 'changes' | 'snapshot'
    part?: number
    parts?: number
    changes: { object?: { metadata: { name: string; namespace: string; labels: { round?: string } } } }[]
  }
}

export async function startAppServer(): Promise<AppServer> {
  const seen: SeenChange[] = []
  const bytes = { changes: 0, snapshot: 0 }
  const counts = { changes: 0, snapshot: 0 }
  let snapshotAt: number | undefined
  let parts = 0

  const take = (body: Buffer, text: string): void => {
    const at = performance.now()
    const posted = JSON.parse(text) as Posted
    bytes[posted.body.kind] += body.length
    counts[posted.body.kind] += posted.body.changes.length
    if (posted.body.kind === 'snapshot' && ++parts === posted.body.parts) snapshotAt ??= at
    if (posted.body.kind === 'snapshot') return
    for (const { object } of posted.body.changes) {
      const { namespace, name, labels } = object?.metadata ?? { namespace: '', name: '', labels: {} }
      seen.push({ key: `${namespace}/${name}`, round: Number(labels.round ?? 0), at })
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      take(body, unpacked(body, request.headers['content-encoding']))
      response.writeHead(202, { 'content-type': 'application/json' }).end('{"accepted":1,"rejected":[]}')
    })
  })
  const url = await listen(server)
  return { url, seen, bytes, counts, snapshotAt: () => snapshotAt, close: () => close(server) }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function close(server: Server): void {
  server.close()
  server.closeAllConnections()
}
