import type { HttpResponseInit } from '@azure/functions'
import { describe, expect, it } from 'vitest'
import { createMemoryShim } from '../shared/adapters/memory/memoryShim.ts'
import { nodeClass } from '../test/builders/nodeClass.ts'
import { nodePool } from '../test/builders/nodePool.ts'
import { pod } from '../test/builders/pod.ts'
import { createTestApp, type HttpCall, type TestApp } from './testing/testApp.ts'

const NEVER = new AbortController().signal
const READER = { cluster: 'alpha', authorization: 'Bearer reader-a' }
const POD = { ...READER, params: { namespace: 'default', name: 'pod' } }

/** Creates a cluster with one pending pod, as reported by its shim. */
async function appWithPod(): Promise<TestApp> {
  const app = createTestApp()
  const world = app.worlds.alpha
  world.objects.put('nodeClass', nodeClass())
  world.objects.put('nodePool', nodePool())
  world.objects.put('pod', pod())
  await world.ports.log.append(createMemoryShim(world, 1).snapshot(), NEVER)
  return app
}

/** Repeats the request as long as the answer asks for it, and runs the queue's function in between. */
async function asked(app: TestApp, route: string, call: HttpCall): Promise<HttpResponseInit> {
  const first = await app.request(route, call)
  if (first.status !== 202) return first
  expect(first).toMatchObject({ headers: { location: `/api/${route}${call.query ?? ''}`, 'retry-after': '1' } })
  await answerAll(app)
  return app.request(route, call)
}

async function answerAll(app: TestApp): Promise<void> {
  for (const message of app.sent.splice(0)) await app.run('explain', JSON.parse(message))
}

const stored = async (app: TestApp): Promise<readonly string[]> => app.worlds.alpha.ports.blobs.list('explanations/', NEVER)

describe('explain', () => {
  it('says of a pod what a decision made now would do, to whoever comes back for it, and works nothing out before', async () => {
    const app = await appWithPod()
    expect(await app.request('explain-pod', POD)).toMatchObject({ status: 202, jsonBody: { status: 'asked' } })
    expect(app.worlds.alpha.journal.entries.map(({ operation }) => operation)).not.toContain('ledger.load')
    expect(await app.request('explain-pod', POD)).toMatchObject({ status: 202 })
    expect(app.sent).toHaveLength(1)
    await answerAll(app)
    expect(await app.request('explain-pod', POD)).toMatchObject({ status: 200 })
    expect(app.sent).toEqual([])
  })

  it('answers the right of the moment: who lost it, or never had it, gets no answer that is there', async () => {
    const app = await appWithPod()
    expect(await asked(app, 'explain-pod', POD)).toMatchObject({ status: 200 })
    for (const authorization of ['Bearer shim-a', 'Bearer reader-b', 'Bearer expired']) {
      expect((await app.request('explain-pod', { ...POD, authorization })).status).toBeGreaterThanOrEqual(401)
    }
    expect(await app.request('explain-pod', { ...POD, cluster: 'beta', authorization: 'Bearer reader-b' })).toMatchObject({ status: 202 })
  })

  it('works an answer out anew once it is old, asks again where nobody answered, and keeps nothing for long', async () => {
    const app = await appWithPod()
    const { clock } = app.worlds.alpha
    await asked(app, 'explain-pod', POD)
    await clock.advance(11_000)
    expect(await app.request('explain-pod', POD)).toMatchObject({ status: 202 })
    const [lost = ''] = app.sent.splice(0)
    await clock.advance(61_000)
    expect(await app.request('explain-pod', POD)).toMatchObject({ status: 202 })
    expect(app.sent).toHaveLength(1)
    await app.run('explain', JSON.parse(lost))
    await answerAll(app)
    expect(await app.request('explain-pod', POD)).toMatchObject({ status: 200 })
    await clock.advance(600_000)
    await app.run('timer', undefined)
    expect(await stored(app)).toEqual([])
  })

  it('answers a message that comes twice once, and one of a cluster that is not here never', async () => {
    const app = await appWithPod()
    await app.request('explain-pod', POD)
    const [message = ''] = app.sent.splice(0)
    await app.run('explain', JSON.parse(message))
    const [path = ''] = await stored(app)
    const before = await app.worlds.alpha.ports.blobs.read(path, NEVER)
    await app.run('explain', JSON.parse(message))
    await app.run('explain', { ...(JSON.parse(message) as object), cluster: 'gamma' })
    expect(await app.worlds.alpha.ports.blobs.read(path, NEVER)).toEqual(before)
    await expect(app.run('explain', { kind: 'explain' })).rejects.toMatchObject({ problem: { code: 'INPUT.INVALID' } })
  })

  it('loads one cluster at a time, however many questions come at once', async () => {
    const app = await appWithPod()
    const { ports, journal } = app.worlds.alpha
    for (let index = 0; index < 5; index++)
      await app.request('explain-pod', { ...POD, params: { namespace: 'default', name: `pod-${index}` } })
    const begun = journal.entries.length
    await Promise.all(app.sent.splice(0).map((message) => app.run('explain', JSON.parse(message))))
    // Each answer is written before the next question is read, so that no question is skipped or answered concurrently.
    expect(journal.entries.slice(begun).filter(({ operation }) => operation === 'blobs.write')).toHaveLength(5)
    expect(await ports.blobs.list('explanations/', NEVER)).toHaveLength(5)
  })

  it('says it in JSON, and writes nothing that a decision could see', async () => {
    const app = await appWithPod()
    const written = app.worlds.alpha.journal.entries.length
    const answer = await asked(app, 'explain-pod', POD)
    expect(answer).toMatchObject({
      status: 200,
      jsonBody: {
        explanation: { kind: 'onNewClaim', pod: 'default/pod', claim: { pool: 'default', choice: { price: expect.any(Number) } } },
        text: expect.arrayContaining(['pod default/pod gets a new node']),
      },
    })
    const writes = app.worlds.alpha.journal.entries.slice(written).map(({ object }) => object)
    expect(writes.filter((object) => !object.includes('explanations/alpha/'))).toEqual([])
  })

  it('says it in lines to whoever asks for text', async () => {
    const answer = await asked(await appWithPod(), 'explain-pod', { ...POD, headers: { accept: 'text/plain' } })
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('text/plain') } })
    expect(String(answer.body)).toMatch(/^pod default\/pod gets a new node\n {2}nodeclaim default-\w+ of nodepool default, for one pod\n/)
  })

  describe('answers in text, and nothing else, to whoever asks for it', () => {
    const asks: { readonly [how: string]: Partial<HttpCall> } = {
      'by the header': { headers: { accept: 'text/plain' } },
      'among others': { headers: { accept: 'text/html, Text/Plain;q=0.9, */*;q=0.1' } },
      'before JSON': { headers: { accept: 'text/plain, application/json' } },
      'by the address': { query: '?format=text' },
      'by the address, whatever the header says': { query: '?format=text', headers: { accept: 'application/json' } },
    }
    it.each(Object.entries(asks))('%s', async (_, more) => {
      const app = await appWithPod()
      const calls: readonly [name: string, status: number, text: RegExp][] = [
        ['pod', 202, /^the explanation is being made; ask again in 1 s$/m],
        ['pod', 200, /^pod default\/pod gets a new node$/m],
        ['gone', 202, /^the explanation is being made; ask again in 1 s$/m],
        ['gone', 404, /^pod default\/gone is not known.* \(KUBE\.NOT_FOUND\)$/m],
      ]
      for (const [name, status, text] of calls) {
        const answer = await app.request('explain-pod', { ...POD, params: { namespace: 'default', name }, ...more })
        expect(answer).toMatchObject({
          status,
          headers: { 'content-type': 'text/plain; charset=utf-8' },
          body: expect.stringMatching(text),
        })
        expect(answer.jsonBody).toBeUndefined()
        if (status === 202) expect(answer).toMatchObject({ headers: { location: `/api/explain-pod${more.query ?? ''}` } })
        await answerAll(app)
      }
      const nobody = await app.request('explain-pod', { cluster: 'alpha', params: POD.params, ...more })
      expect(nobody).toMatchObject({ status: 401, body: expect.stringMatching(/\(INPUT\.UNAUTHENTICATED\)$/m) })
    })

    it.each<[string, Partial<HttpCall>]>([
      ['JSON first', { headers: { accept: 'application/json, text/plain' } }],
      ['the address', { query: '?format=json', headers: { accept: 'text/plain' } }],
      ['nothing', {}],
    ])('and in JSON where %s asks for it', async (_, more) => {
      expect((await asked(await appWithPod(), 'explain-pod', { ...POD, ...more })).jsonBody).toBeDefined()
    })
  })

  it('says of the claim that the pod gets why it is what it is', async () => {
    const app = await appWithPod()
    const { jsonBody } = (await asked(app, 'explain-pod', POD)) as { jsonBody: { explanation: { claim: { name: string } } } }
    const { name } = jsonBody.explanation.claim
    const answer = await asked(app, 'explain-nodeclaim', { ...READER, params: { name } })
    expect(answer).toMatchObject({ status: 200, jsonBody: { explanation: { kind: 'new', claim: { name } } } })
  })

  it.each<[string, string, HttpCall, number, string]>([
    ['a pod that is not there', 'explain-pod', { ...READER, params: { namespace: 'default', name: 'x' } }, 404, 'KUBE.NOT_FOUND'],
    ['a claim that is not there', 'explain-nodeclaim', { ...READER, params: { name: 'x' } }, 404, 'CLAIM.NOT_FOUND'],
    ['the pod of another cluster', 'explain-pod', { ...POD, cluster: 'beta' }, 403, 'INPUT.FORBIDDEN'],
    ['nobody', 'explain-nodeclaim', { cluster: 'alpha', params: { name: 'x' } }, 401, 'INPUT.UNAUTHENTICATED'],
  ])('refuses %s', async (_, route, call, status, code) => {
    const answer = await asked(await appWithPod(), route, call)
    expect(answer).toMatchObject({ status })
    expect(JSON.parse(String(answer.body))).toMatchObject({ code })
  })

  it('waits for the shim where its picture has a hole', async () => {
    const answer = await asked(createTestApp(), 'explain-pod', POD)
    expect(answer).toMatchObject({ status: 503 })
    expect(JSON.parse(String(answer.body))).toMatchObject({ code: 'STORE.LOG_GAP', retryAfterMs: 1000 })
  })
})
