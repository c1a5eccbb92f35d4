import { createServer } from 'node:net'
import { Fault, problem } from '../../shared/model/problem.ts'

/** A port nobody listens on now. Somebody else may take it before the caller does; that shows as a clear error at its start. */
export function freePort(): Promise<number> {
  return listenOnce(0)
}

/** Refuses a port that somebody listens on, with the name of the option that asked for it. 0 is always fine. */
export async function requireFree(port: number, option: string): Promise<void> {
  try {
    await listenOnce(port)
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${String(cause)})`
    throw new Fault('take the ports', problem('SETTING.INVALID', `port ${port} ${why}; give another with ${option}, or 0 for a free one`))
  }
}

function listenOnce(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
