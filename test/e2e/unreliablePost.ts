import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

type Held = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

/**
 * A proxy between the shim and the app. It accepts every post at once and gathers posts for a while. It delivers them in reverse order, and delivers
 * each a second time after newer posts. The shim has its answer by then, so the app is asked for an answer without lines.
 */
export interface UnreliablePost {
  readonly url: string
  /** The number of delivered posts, including repetitions, and the number of posts that came after a later one. */
  counts(): { readonly delivered: number; readonly outOfOrder: number }
  close(): Promise<void>
}

const GATHER_MS = 400
/** The number of gatherings after which a post is delivered again. */
const ROUNDS_LATE = 5

export async function startUnreliablePost(app: string): Promise<UnreliablePost> {
  let held: Held[] = []
  const again: (readonly Held[])[] = []
  let delivered = 0
  let outOfOrder = 0
  let wanted: string | undefined

  async function deliver({ path, headers, body }: Held): Promise<void> {
    const {
      host: _host,
      connection: _connection,
      accept: _accept,
      'content-length': _length,
      'transfer-encoding': _encoding,
      ...kept
    } = headers
    const sent = Object.entries(kept).flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : []))
    const answer = await fetch(`${app}${path}`, { method: 'POST', headers: sent, body: new Uint8Array(body) })
    const { sendSnapshot } = (await answer.json()) as { readonly sendSnapshot?: string }
    wanted = sendSnapshot ?? wanted
    delivered += 1
  }

  async function deliverGathered(): Promise<void> {
    const batch = held.reverse()
    held = []
    outOfOrder += Math.max(0, batch.length - 1)
    again.push(batch)
    const late = again.length > ROUNDS_LATE ? (again.shift() ?? []) : []
    for (const post of [...batch, ...late]) await deliver(post)
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    held.push({ path: request.url ?? '', headers: request.headers, body: await buffer(request) })
    response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ accepted: 0, rejected: [], sendSnapshot: wanted }))
    wanted = undefined
  }

  const server = createServer((request, response) => void take(request, response).catch(() => response.destroy()))
  let delivering = Promise.resolve()
  const timer = setInterval(() => {
    delivering = delivering.then(deliverGathered).catch(() => undefined)
  }, GATHER_MS)
  return {
    url: await listen(server),
    counts: () => ({ delivered, outOfOrder }),
    async close() {
      clearInterval(timer)
      await delivering
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    })
  })
}
