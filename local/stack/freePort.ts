import { createServer } from 'node:net'
import { Fault, problem } from '../../shared/model/problem.ts'

/** Returns a port that is free now. If another process takes it before the caller does, the caller's start fails with a clear error. */
export function freePort(): Promise<number> {
  return listenOnce(0)
}

/** Refuses a port that is taken, with the name of its option. 0 is always accepted. */
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
