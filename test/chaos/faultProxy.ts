import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as plainRequest,
  type Server,
  type ServerResponse,
} from 'node:http'
import { Agent, createServer as createSecureServer, request as secureRequest } from 'node:https'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { ServingCertificate } from '../../local/certificates/serving.ts'

/** A fault of requests on their way to a service. */
export type LineFault = {
  readonly kind: 'loseRequest' | 'loseAnswer' | 'refuse' | 'throttle' | 'late'
  /** The number of requests that the fault strikes, beginning with the next one. */
  readonly times: number
  /** For `late`: the delay of the request in milliseconds. The request arrives even if the client has given up. */
  readonly ms?: number
  /** The methods of the struck requests. Absent: methods that change something. */
  readonly methods?: readonly string[]
}

/** A proxy between the processes under test and one service. The proxy can cut connections, refuse all of them, and lose requests and answers. */
export interface FaultProxy {
  readonly url: string
  /** Cuts every connection that is open now. */
  cut(): void
  /** Refuses all connections until `up`. */
  down(): void
  up(): void
  strike(fault: LineFault): void
  /** Ends all faults. */
  calm(): void
  /** The number of struck requests, by kind of fault. */
  struck(): ReadonlyMap<string, number>
  close(): Promise<void>
}

export type ProxyTarget = {
  readonly url: string
  readonly ca?: string | undefined
  readonly certificate?: string | undefined
  readonly key?: string | undefined
  readonly headers?: { readonly [name: string]: string }
}

const WRITES = ['PUT', 'POST', 'PATCH', 'DELETE']
/** Headers that apply to a single connection and are not forwarded. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'expect']

export async function openFaultProxy(target: ProxyTarget, certificate?: ServingCertificate): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  const struck = new Map<string, number>()
  let faults: { readonly fault: LineFault; left: number }[] = []
  let isDown = false
  const to = openTarget(target)

  function take(method: string): LineFault | undefined {
    const found = faults.find(({ fault, left }) => left > 0 && (fault.methods ?? WRITES).includes(method))
    if (found === undefined) return undefined
    found.left -= 1
    struck.set(found.fault.kind, (struck.get(found.fault.kind) ?? 0) + 1)
    return found.fault
  }

  async function carry(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    const fault = take(incoming.method ?? '')
    const cut = (): void => void incoming.socket.destroy()
    if (fault?.kind === 'loseRequest') return cut()
    if (fault?.kind === 'refuse') return void outgoing.writeHead(503).end()
    if (fault?.kind === 'throttle') return void outgoing.writeHead(429, { 'retry-after': '1' }).end()
    if (fault?.kind === 'late') await new Promise((resolve) => setTimeout(resolve, fault.ms))
    const asked = to.ask(incoming, body)
    asked.on('error', cut)
    asked.on('response', (answer) => {
      answer.on('error', cut)
      if (fault?.kind === 'loseAnswer') return void answer.resume().on('end', cut)
      outgoing.on('close', () => answer.destroy())
      outgoing.writeHead(answer.statusCode ?? 502, carried(answer.headers))
      outgoing.flushHeaders()
      answer.pipe(outgoing)
    })
  }

  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    void carry(incoming, outgoing).catch(() => incoming.socket.destroy())
  const server =
    certificate === undefined
      ? createServer(listener)
      : createSecureServer({ cert: certificate.certificate, key: certificate.key }, listener)
  server.on('connection', (socket: Socket) => {
    if (isDown) return void socket.destroy()
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  const port = await listen(server)
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    cut,
    down() {
      isDown = true
      cut()
    },
    up: () => void (isDown = false),
    strike: (fault) => void faults.push({ fault, left: fault.times }),
    calm() {
      faults = []
      isDown = false
    },
    struck: () => struck,
    async close() {
      isDown = true
      cut()
      to.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Sends requests to the target as they came in. */
function openTarget(target: ProxyTarget) {
  const agent = target.url.startsWith('https:')
    ? new Agent({ keepAlive: true, ca: target.ca, cert: target.certificate, key: target.key })
    : undefined
  return {
    ask({ method, url, headers: given }: IncomingMessage, body: Buffer): ClientRequest {
      const hasBody = body.length > 0 || ['PUT', 'POST', 'PATCH'].includes(method ?? '')
      const length = hasBody ? { 'content-length': String(body.length) } : {}
      const headers = { ...carried(given), ...length, ...target.headers }
      const address = `${target.url}${url}`
      const asked = agent === undefined ? plainRequest(address, { method, headers }) : secureRequest(address, { method, headers, agent })
      return asked.end(body)
    },
    close: () => agent?.destroy(),
  }
}

function carried(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)))
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })
}
