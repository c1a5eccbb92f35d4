// The internet as one program of the local stack sees it. Each name leads to the emulator behind it, with a certificate for that name.
import { createServer as createHttpServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer, request as httpsRequest } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { createSecureContext, type SecureContext } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { type Authority, createAuthority } from '../certificates/authority.ts'

/** Where a name leads. `url` is the base of the emulator, and `ca` is its authority if the URL is https. */
export type Destination = { readonly url: string; readonly ca?: string }
export type Refusal = { readonly status: number; readonly why: string }
/** Returns undefined for an unknown name. */
export type NameService = (host: string) => Destination | Refusal | undefined

export interface Internet {
  /** Node arguments that put a program into this internet. `direct`: ports by name, for names that are reached without a certificate of ours. */
  argsOf(direct?: Readonly<Record<string, number>>): readonly string[]
  /** A proxy into this internet, for programs that are not of Node: `HTTPS_PROXY`. They must trust the authority. */
  readonly proxyUrl: string
  /** Unknown names that were called. */
  readonly unknown: ReadonlySet<string>
  /** Names that were called. */
  readonly called: ReadonlySet<string>
  close(): Promise<void>
}

export const createInternetAuthority = (): Promise<Authority> => createAuthority('joiner loopback internet')

export async function startInternet(authority: Authority, nameService: NameService): Promise<Internet> {
  const [unknown, called] = [new Set<string>(), new Set<string>()]
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const host = (incoming.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
    const found = nameService(host)
    called.add(host)
    if (found === undefined) unknown.add(host)
    if (found !== undefined && 'url' in found) return forward(incoming, outgoing, found)
    const { status, why } = found ?? { status: 502, why: `nobody is called ${host} in the loopback internet` }
    outgoing
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { code: String(status), message: why } }))
  }
  const secure = createHttpsServer({ SNICallback: certificates(authority) }, answer)
  const plain = createHttpServer(answer)
  plain.on('connect', (_, socket) => letThrough(secure, socket))
  const front = createFront(secure, plain)
  const port = await front.listen()
  return {
    proxyUrl: `http://127.0.0.1:${port}`,
    unknown,
    called,
    argsOf: (direct = {}) => {
      const preload = pathToFileURL(join(import.meta.dirname, 'reroute.ts'))
      preload.searchParams.set('door', String(port))
      for (const [host, to] of Object.entries(direct)) preload.searchParams.append('direct', `${host}:${to}`)
      return ['--import', preload.href]
    },
    close: front.close,
  }
}

/** Answers CONNECT: what follows is TLS for the name that was asked for, which the handshake tells as well. */
function letThrough(secure: Server, socket: Duplex): void {
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  secure.emit('connection', socket)
}

type GiveCertificate = (name: string, done: (error: Error | null, context?: SecureContext) => void) => void

/** One certificate for each name, made when the name is asked for first. */
function certificates(authority: Authority): GiveCertificate {
  const contexts = new Map<string, Promise<SecureContext>>()
  const make = async (name: string): Promise<SecureContext> => {
    const { certificate, key } = await authority.issue({ subject: `CN=${name.slice(0, 60)}`, usage: 'server', dnsNames: [name] })
    return createSecureContext({ cert: certificate, key })
  }
  const give = async (name: string, done: Parameters<GiveCertificate>[1]): Promise<void> => {
    const context = contexts.get(name) ?? make(name)
    contexts.set(name, context)
    done(null, await context)
  }
  return (name, done) => void give(name.toLowerCase(), done)
}

/** Accepts TLS and plain HTTP at the same port. */
function createFront(secure: Server, plain: Server) {
  const sockets = new Set<Socket>()
  const front = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    // The first byte of TLS is its record type, 22. The first byte of HTTP is a letter.
    socket.once('data', (bytes) => {
      socket.pause()
      socket.unshift(bytes)
      const server = bytes[0] === 22 ? secure : plain
      server.emit('connection', socket)
      process.nextTick(() => socket.resume())
    })
  })
  return {
    listen: () =>
      new Promise<number>((resolve) => {
        front.listen(0, '127.0.0.1', () => {
          const address = front.address()
          resolve(typeof address === 'object' && address !== null ? address.port : 0)
        })
      }),
    close: () =>
      new Promise<void>((resolve) => {
        front.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Keeps the called name in `Host`, because the emulator may tell names apart. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, { url, ca }: Destination): void {
  const base = new URL(url)
  const target = new URL(`${base.pathname.replace(/\/$/, '')}${incoming.url ?? '/'}`, base)
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest
  const { method, headers } = incoming
  const options = { method, headers, ...(ca === undefined ? {} : { ca, servername: '' }), agent: false as const }
  const onward = send(target, options, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  onward.on('error', () => outgoing.destroy())
  outgoing.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
