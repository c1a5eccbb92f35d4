import type { IncomingMessage } from 'node:http'
import { Agent, type RequestOptions, request as startRequest } from 'node:https'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import type { KubeConnection } from './connection.ts'

/**
 * A minimal client for hundreds of simulated kubelets: JSON over HTTPS with a CA and a token or client certificate of its own, over a few
 * connections that are kept open. Refusals and broken connections are values.
 */
export interface KubeClient {
  send<Answer>(request: KubeRequest): Promise<Result<Answer, Refusal>>
  /** Reports the lines of a watch as they come. Ends when the server ends the watch or the connection breaks. */
  stream(request: KubeRequest, onLine: (line: string) => void): Promise<Result<void, Refusal>>
  close(): void
}

export type KubeRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: { readonly [name: string]: string }
  readonly body?: unknown
  readonly contentType?: string
  readonly signal: AbortSignal
}

/** The error that the API server answered. With code 0, why there was no answer. */
export type Refusal = { readonly code: number; readonly reason: string; readonly message: string }

/** The time limit for an answer. For a watch it limits the response headers only. */
const ANSWER_TIMEOUT_MS = 30_000
const MAX_SOCKETS = 16
const STALE = 'StaleConnection'

export function createKubeClient(connection: KubeConnection): KubeClient {
  const { credential } = connection
  const trust = {
    ...(connection.ca === undefined ? {} : { ca: connection.ca }),
    ...(credential.kind === 'certificate' ? { cert: credential.certificate, key: credential.key } : {}),
  }
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, ...trust })
  // A watch opens a connection of its own, so watches never hold up requests.
  const freshAgent = new Agent({ keepAlive: false, ...trust })
  return {
    send: async <Answer>(request: KubeRequest) => {
      const kept = await openRequest(connection, agent, request)
      // The server had closed the kept connection before the request arrived, so the request is safe to repeat.
      const opened = !kept.ok && kept.error.reason === STALE ? await openRequest(connection, freshAgent, request) : kept
      if (!opened.ok) return opened
      return readAnswer<Answer>(opened.value, request)
    },
    stream: async (request, onLine) => {
      const opened = await openRequest(connection, freshAgent, request)
      if (!opened.ok) return opened
      if (opened.value.statusCode !== 200) return refusalOf(opened.value, request)
      return readLines(opened.value, onLine)
    },
    close: () => {
      agent.destroy()
      freshAgent.destroy()
    },
  }
}

async function openRequest(connection: KubeConnection, agent: Agent, request: KubeRequest): Promise<Result<IncomingMessage, Refusal>> {
  const url = new URL(request.path, connection.url)
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value)
  const body = request.body === undefined ? undefined : JSON.stringify(request.body)
  const options: RequestOptions = {
    method: request.method,
    agent,
    signal: request.signal,
    headers: {
      accept: 'application/json',
      ...(body === undefined
        ? {}
        : { 'content-type': request.contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...(connection.credential.kind === 'token' ? { authorization: `Bearer ${connection.credential.token}` } : {}),
    },
  }
  if (connection.credential.kind === 'kubeconfig') {
    await connection.credential.apply(options)
    options.agent = agent
  }
  if (connection.dial !== undefined) {
    options.servername = url.hostname
    // The hostname of the URL would take precedence over `host`.
    options.hostname = connection.dial.host
    options.port = connection.dial.port
  }
  return new Promise((resolve) => {
    const outgoing = startRequest(url, options)
    outgoing.setTimeout(ANSWER_TIMEOUT_MS, () => outgoing.destroy(new DOMException('no answer in time', 'TimeoutError')))
    outgoing.on('response', (incoming) => {
      outgoing.setTimeout(0)
      resolve(ok(incoming))
    })
    outgoing.on('error', (cause: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE')
      resolve(err({ ...unreachable(cause), ...(isStale ? { reason: STALE } : {}) }))
    })
    outgoing.end(body)
  })
}

async function readAnswer<Answer>(incoming: IncomingMessage, request: KubeRequest): Promise<Result<Answer, Refusal>> {
  const status = incoming.statusCode ?? 0
  if (status < 200 || status > 299) return refusalOf(incoming, request)
  const text = await readText(incoming)
  if (!text.ok) return text
  try {
    // The path decides the schema, and the API server keeps to it.
    const answer: Answer = JSON.parse(text.value)
    return ok(answer)
  } catch {
    return err({ code: status, reason: 'BadAnswer', message: `${request.method} ${request.path} was not answered in JSON` })
  }
}

async function refusalOf(incoming: IncomingMessage, request: KubeRequest): Promise<Result<never, Refusal>> {
  const text = await readText(incoming)
  const code = incoming.statusCode ?? 0
  const status = text.ok ? parseStatus(text.value) : {}
  return err({
    code,
    reason: status.reason ?? `HTTP${code}`,
    message: status.message ?? `${request.method} ${request.path} was refused with ${code}`,
  })
}

function parseStatus(text: string): { readonly reason?: string; readonly message?: string } {
  try {
    // A Status object, or any other JSON: both members are only shown.
    const status: { readonly reason?: string; readonly message?: string } = JSON.parse(text)
    return status
  } catch {
    return {}
  }
}

function readText(incoming: IncomingMessage): Promise<Result<string, Refusal>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => resolve(ok(Buffer.concat(chunks).toString('utf8'))))
    incoming.on('error', (cause: NodeJS.ErrnoException) => resolve(err(unreachable(cause))))
  })
}

function readLines(incoming: IncomingMessage, onLine: (line: string) => void): Promise<Result<void, Refusal>> {
  incoming.setEncoding('utf8')
  return new Promise((resolve) => {
    let rest = ''
    incoming.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') onLine(line)
    })
    incoming.on('end', () => resolve(ok(undefined)))
    incoming.on('close', () => resolve(ok(undefined)))
    incoming.on('error', (cause: NodeJS.ErrnoException) => resolve(err(unreachable(cause))))
  })
}

function unreachable(cause: NodeJS.ErrnoException): Refusal {
  return { code: 0, reason: cause.code ?? cause.name, message: cause.message }
}
