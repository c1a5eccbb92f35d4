import { createServer, type Server } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort, requireFree } from './freePort.ts'

/** Starts a server. Returns its port. */
async function listening(port = 0): Promise<number> {
  const server: Server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('it listens on no port')
  return address.port
}

describe('a free port', () => {
  it('is one that can be listened on', async () => {
    const port = await freePort()
    expect(port).toBeGreaterThan(0)
    expect(await listening(port)).toBe(port)
  })
})

describe('a port that an option asks for', () => {
  it('is refused by the name of the option where somebody listens', async () => {
    const port = await listening()
    await expect(requireFree(port, '--port')).rejects.toThrow(`port ${port} is taken; give another with --port, or 0 for a free one`)
  })

  it('is refused where it cannot be one', async () => {
    await expect(requireFree(70_000, '--port')).rejects.toThrow(/port 70000 cannot be used \(.*\); give another with --port/)
  })

  it('is taken where nobody listens, and 0 always', async () => {
    await expect(requireFree(await freePort(), '--port')).resolves.toBeUndefined()
    await expect(requireFree(0, '--port')).resolves.toBeUndefined()
  })
})
