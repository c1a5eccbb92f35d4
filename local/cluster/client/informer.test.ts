import { describe, it } from 'vitest'
import { withServer } from '../../kubernetes/testing/withServer.ts'
import { startInformer } from './informer.ts'
import { createKubeClient } from './kubeClient.ts'
import { NAMESPACES } from './resource.ts'

type Server = Parameters<Parameters<typeof withServer>[1]>[0]

/** Runs a test with an informer of namespaces, and a way to wait until it knows a name (or no longer does). */
async function withInformer(use: (server: Server, until: (name: string, known: boolean) => Promise<void>) => Promise<void>): Promise<void> {
  await withServer({}, async (test) => {
    const { url, caCertificate, adminToken } = test.server
    const client = createKubeClient({ url, ca: caCertificate, credential: { kind: 'token', token: adminToken } })
    const informer = startInformer(NAMESPACES, { client })
    const until = async (name: string, known: boolean) => {
      for (const end = Date.now() + 5000; (informer.get(name) !== undefined) !== known; ) {
        if (Date.now() > end) throw new Error(`never ${known ? 'saw' : 'lost'} ${name}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    try {
      await informer.synced
      await use(test, until)
    } finally {
      informer.close()
      client.close()
    }
  })
}

const make = ({ call }: Server, name: string) => call('POST', '/api/v1/namespaces', { metadata: { name } })

describe('an informer', () => {
  it('knows what was there and what came', async () => {
    await withInformer(async (test, until) => {
      await until('default', true)
      await make(test, 'new')
      await until('new', true)
    })
  })

  it('goes on after its watch was cut', async () => {
    await withInformer(async (test, until) => {
      test.server.disconnectWatches()
      await make(test, 'new')
      await until('new', true)
    })
  })

  it('lists again when the server has forgotten that far back', async () => {
    await withInformer(async (test, until) => {
      await test.server.pause()
      test.server.compact()
      await test.server.resume()
      await make(test, 'new')
      await until('new', true)
    })
  })

  it('survives a restart of the server', async () => {
    await withInformer(async (test, until) => {
      await test.server.restart()
      await make(test, 'new')
      await until('new', true)
    })
  })
})
