import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Duplex } from 'node:stream'
import type { ServingCertificate } from '../../certificates/serving.ts'

/** A server socket that can be closed and opened again on the same port. */
export interface Listener {
  listen(port: number): Promise<void>
  stop(): Promise<void>
  /** `127.0.0.1:<port>`. */
  address(): string
  port(): number
}

export function createListener(
  serving: ServingCertificate,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Listener {
  // The server keeps idle connections. A client that reuses a connection while the server closes it sees a failed call.
  const server = createServer({ key: serving.key, cert: serving.certificate + serving.authority, keepAliveTimeout: 120_000 }, handler)
  // A connection in its TLS handshake is not among the connections that the server closes itself.
  const sockets = new Set<Duplex>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  let port = 0
  return {
    listen: (wanted) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(wanted, '127.0.0.1', () => {
          server.off('error', reject)
          const address = server.address()
          port = typeof address === 'object' && address !== null ? address.port : wanted
          resolve()
        })
      }),
    stop: () =>
      new Promise((resolve) => {
        if (!server.listening) {
          resolve()
          return
        }
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
    address: () => `127.0.0.1:${port}`,
    port: () => port,
  }
}
