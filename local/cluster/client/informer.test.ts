import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../shared/base/result.ts'
import { eventually } from '../../../test/builders/eventually.ts'
import { withServer } from '../../kubernetes/testing/withServer.ts'
import { startInformer } from './informer.ts'
import { createKubeClient, type KubeClient } from './kubeClient.ts'
import { NAMESPACES } from './resource.ts'

type Server = Parameters<Parameters<typeof withServer>[1]>[0]

/** Runs a test with an informer of namespaces, and a function that waits until the informer has a name (or no longer has it). */
async function withInformer(use: (server: Server, until: (name: string, known: boolean) => Promise<void>) => Promise<void>): Promise<void> {
  await withServer({}, async (test) => {
    const { url, caCertificate, adminToken } = test.server
    const client = createKubeClient({ url, ca: caCertificate, credential: { kind: 'token', token: adminToken } })
    const informer = startInformer(NAMESPACES, { client })
    const until = (name: string, known: boolean) =>
      eventually(() => {
        if ((informer.get(name) !== undefined) !== known) throw new Error(`never ${known ? 'saw' : 'lost'} ${name}`)
      })
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

type Call = { readonly what: 'list' | 'watch'; readonly from: string | undefined }
type Ended = Awaited<ReturnType<KubeClient['stream']>>

const BROKEN: Ended = err({ code: 0, reason: 'Broken', message: 'the connection is cut' })
const status = (code: number): Ended => err({ code, reason: 'Refused', message: 'no' })
const errorLine = (code: number) => ({ type: 'ERROR', object: { code, reason: 'Expired', message: 'too old' } })
const seen = (type: string, version: string) => ({ type, object: { metadata: { name: 'a', uid: 'u', resourceVersion: version } } })

/** Returns the calls of an informer whose list has version 5 and whose first watch sends these lines and then ends with `ended`. */
async function callsAfter(lines: readonly object[], ended: Ended): Promise<readonly Call[]> {
  const calls: Call[] = []
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  const note = (call: Call): void => {
    calls.push(call)
    if (calls.length === 3) resolve()
  }
  const client: KubeClient = {
    send: () => {
      note({ what: 'list', from: undefined })
      return Promise.resolve(ok<never>({ metadata: { resourceVersion: '5' }, items: [] } as never))
    },
    stream: ({ query, signal }, onLine) => {
      note({ what: 'watch', from: query?.['resourceVersion'] })
      if (calls.length !== 2) return new Promise((end) => signal?.addEventListener('abort', () => end(BROKEN)))
      for (const line of lines) onLine(JSON.stringify(line))
      return Promise.resolve(ended)
    },
    close: () => {},
  }
  const informer = startInformer(NAMESPACES, { client })
  await enough
  informer.close()
  return calls.slice(2)
}

describe('after a watch that', () => {
  const again: Call = { what: 'list', from: undefined }
  it.each<{ name: string; lines: readonly object[]; ended: Ended; wanted: Call }>([
    { name: 'was told 410 by a line, an informer lists', lines: [seen('ADDED', '7'), errorLine(410)], ended: ok(undefined), wanted: again },
    { name: 'was answered 410, an informer lists', lines: [], ended: status(410), wanted: again },
    { name: 'was answered 500, an informer lists', lines: [], ended: status(500), wanted: again },
    {
      name: 'was told 500 by a line, an informer goes on',
      lines: [seen('ADDED', '7'), errorLine(500)],
      ended: ok(undefined),
      wanted: { what: 'watch', from: '7' },
    },
    { name: 'was cut, an informer goes on', lines: [seen('ADDED', '8')], ended: BROKEN, wanted: { what: 'watch', from: '8' } },
    {
      name: 'ended in order, an informer goes on',
      lines: [seen('BOOKMARK', '9')],
      ended: ok(undefined),
      wanted: { what: 'watch', from: '9' },
    },
    { name: 'said nothing, an informer goes on from its list', lines: [], ended: ok(undefined), wanted: { what: 'watch', from: '5' } },
  ])('$name', async ({ lines, ended, wanted }) => {
    expect(await callsAfter(lines, ended)).toEqual([wanted])
  })
})
