import { createServer, type IncomingMessage, request as openRequest, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Instance } from './instance.ts'

export type FrontOptions = {
  readonly port: number
  /** The process that gets the request. */
  readonly instanceFor: (path: string) => Promise<Instance>
  readonly say: (message: string) => void
}

/** Takes all requests, and passes each on to a process that it wakes or starts. Requests wait for the process. */
export async function startFront({ port, instanceFor, say }: FrontOptions): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing, instanceFor).catch((error: unknown) => {
      say(`${incoming.method} ${incoming.url?.split('?')[0]}: ${String(error)}`)
      outgoing.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`, server }
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse, instanceFor: FrontOptions['instanceFor']): Promise<void> {
  const instance = await instanceFor(new URL(incoming.url ?? '/', 'http://localhost').pathname)
  const request = instance.serve()
  try {
    await pass(incoming, outgoing, await instance.url)
  } finally {
    request.ended()
  }
}

/** Passes a request on, and everything that comes back. A connection that breaks on one side breaks on the other. */
function pass(incoming: IncomingMessage, outgoing: ServerResponse, url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const { method = 'GET', url: path = '/', headers } = incoming
  return new Promise((resolve, reject) => {
    const passed = openRequest({ hostname, port, path, method, headers, agent: false })
    passed.once('error', reject)
    passed.once('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      pipeline(answer, outgoing).then(resolve, reject)
    })
    outgoing.once('close', () => passed.destroy())
    pipeline(incoming, passed).catch(reject)
  })
}
