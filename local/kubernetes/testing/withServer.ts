import { request } from 'node:https'
import type { KubernetesOptions, LocalKubernetes } from '../kubernetesOptions.ts'
import type { Json } from '../object/json.ts'
import { startKubernetes } from '../startKubernetes.ts'

export interface Answer {
  readonly code: number
  readonly body: Json
  readonly headers: { readonly [name: string]: string | string[] | undefined }
}

export interface CallOptions {
  readonly type?: string
  readonly accept?: string
  readonly headers?: { readonly [name: string]: string }
}

export interface TestServer {
  readonly server: LocalKubernetes
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  callAs(token: string, method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
}

/** Runs a test with a server of its own, and always closes the server. */
export async function withServer(options: KubernetesOptions, test: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startKubernetes(options)
  const callAs: TestServer['callAs'] = (token, method, path, body, more) => callServer(server, { token, method, path, body, ...more })
  try {
    await test({ server, callAs, call: (method, path, body, more) => callAs(server.adminToken, method, path, body, more) })
  } finally {
    await server.close()
  }
}

interface Call extends CallOptions {
  readonly token: string
  readonly method: string
  readonly path: string
  readonly body: unknown
}

export function callServer(server: Pick<LocalKubernetes, 'url' | 'caCertificate'>, call: Call): Promise<Answer> {
  const headers: Record<string, string> = { accept: call.accept ?? 'application/json', ...call.headers }
  if (call.token !== '') headers['authorization'] = `Bearer ${call.token}`
  const payload = call.body === undefined ? undefined : typeof call.body === 'string' ? call.body : JSON.stringify(call.body)
  if (payload !== undefined)
    headers['content-type'] = call.type ?? (call.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json')
  // Node sets no content-length for a DELETE, and the server ignores a body without it.
  if (payload !== undefined) headers['content-length'] = String(Buffer.byteLength(payload))
  return new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}${call.path}`,
      { method: call.method, ca: server.caCertificate, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const isJson = (response.headers['content-type'] ?? '').startsWith('application/json')
          resolve({ code: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text, headers: response.headers })
        })
      },
    )
    sent.on('error', reject)
    sent.end(payload)
  })
}
