import { describe, expect, it } from 'vitest'
import { createMemoryShim } from '../shared/adapters/memory/memoryShim.ts'
import { problem } from '../shared/model/problem.ts'
import { nodeClass } from '../test/builders/nodeClass.ts'
import { nodePool } from '../test/builders/nodePool.ts'
import { pod } from '../test/builders/pod.ts'
import { createTestApp, type HttpCall, type TestApp, type TestAppOptions } from './testing/testApp.ts'

const NEVER = new AbortController().signal
const READER = { cluster: 'alpha', authorization: 'Bearer reader-a' }
const POD = { ...READER, params: { kind: 'pods', first: 'default', second: 'pod' } }

/** Creates a cluster with one pending pod, as reported by its shim. */
async function appWithPod(options: TestAppOptions = {}): Promise<TestApp> {
  const app = createTestApp(options)
  const world = app.worlds.alpha
  world.objects.put('nodeClass', nodeClass())
  world.objects.put('nodePool', nodePool())
  world.objects.put('pod', pod())
  await world.ports.log.append(createMemoryShim(world, 1).snapshot(), NEVER)
  return app
}

describe('explain', () => {
  it('answers from the cluster that the process has loaded, and a new process loads it once', async () => {
    const app = await appWithPod({ runsUntil: NEVER })
    const { log } = app.worlds.alpha.ports
    let loads = 0
    const load = log.loadCheckpoint
    const counted: typeof load = (signal) => {
      loads++
      return load(signal)
    }
    Object.assign(log, { loadCheckpoint: counted })
    await app.run('wake', { v: 1, cluster: 'alpha' })
    expect(loads).toBe(1)
    for (const _ of [1, 2, 3]) expect(await app.request('explain', POD)).toMatchObject({ status: 200 })
    expect(loads).toBe(1)
    const other = createTestApp({ beside: app })
    for (const _ of [1, 2, 3]) expect(await other.request('explain', POD)).toMatchObject({ status: 200 })
    expect(loads).toBe(2)
  })

  it('refuses questions that would wait for long, and says when to ask again', async () => {
    const app = await appWithPod()
    const answers = await Promise.all(Array.from({ length: 6 }, () => app.request('explain', POD)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429])
    expect(answers[5]).toMatchObject({ headers: { 'retry-after': '2' }, body: expect.stringContaining('INPUT.TOO_MANY_QUESTIONS') })
    expect(await app.request('explain', POD)).toMatchObject({ status: 200 })
  })

  it('refuses with what failed outside, in the form that was asked for', async () => {
    const app = await appWithPod()
    const away = problem('STORE.UNAVAILABLE', 'storage is away', { retryAfterMs: 5_000 })
    const fail = (at: number) => app.worlds.alpha.failCall('ledger.load', at, { when: 'before', how: 'fault', problem: away })
    fail(1)
    expect(await app.request('explain', POD)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    fail(1)
    expect(await app.request('explain', { ...POD, query: '?format=text' })).toMatchObject({
      status: 503,
      body: 'storage is away (STORE.UNAVAILABLE)\n',
    })
  })

  it('answers the right of the moment: who lost it, or never had it, gets no answer', async () => {
    const app = await appWithPod()
    expect(await app.request('explain', POD)).toMatchObject({ status: 200 })
    for (const authorization of ['Bearer shim-a', 'Bearer reader-b', 'Bearer expired']) {
      expect((await app.request('explain', { ...POD, authorization })).status).toBeGreaterThanOrEqual(401)
    }
  })

  it('says at once in JSON what a decision made now would do, and writes nothing', async () => {
    const app = await appWithPod()
    const written = app.worlds.alpha.journal.entries.length
    const answer = await app.request('explain', POD)
    expect(answer).toMatchObject({
      status: 200,
      jsonBody: {
        explanation: { kind: 'onNewClaim', pod: 'default/pod', claim: { pool: 'default', choice: { price: expect.any(Number) } } },
        text: expect.arrayContaining(['pod default/pod gets a new node']),
      },
    })
    const writes = app.worlds.alpha.journal.entries.slice(written).map(({ object }) => object)
    expect(writes).toEqual([])
  })

  it('says it in lines to whoever asks for text', async () => {
    const answer = await (await appWithPod()).request('explain', { ...POD, headers: { accept: 'text/plain' } })
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
        ['pod', 200, /^pod default\/pod gets a new node$/m],
        ['gone', 404, /^pod default\/gone is not known.* \(KUBE\.NOT_FOUND\)$/m],
      ]
      for (const [name, status, text] of calls) {
        const answer = await app.request('explain', { ...POD, params: { kind: 'pods', first: 'default', second: name }, ...more })
        expect(answer).toMatchObject({
          status,
          headers: { 'content-type': 'text/plain; charset=utf-8' },
          body: expect.stringMatching(text),
        })
        expect(answer.jsonBody).toBeUndefined()
      }
      const nobody = await app.request('explain', { cluster: 'alpha', params: POD.params, ...more })
      expect(nobody).toMatchObject({ status: 401, body: expect.stringMatching(/\(INPUT\.UNAUTHENTICATED\)$/m) })
    })

    it.each<[string, Partial<HttpCall>]>([
      ['JSON first', { headers: { accept: 'application/json, text/plain' } }],
      ['the address', { query: '?format=json', headers: { accept: 'text/plain' } }],
      ['nothing', {}],
    ])('and in JSON where %s asks for it', async (_, more) => {
      expect((await (await appWithPod()).request('explain', { ...POD, ...more })).jsonBody).toBeDefined()
    })
  })

  it('says of the claim that the pod gets why it is what it is', async () => {
    const app = await appWithPod()
    const { jsonBody } = (await app.request('explain', POD)) as { jsonBody: { explanation: { claim: { name: string } } } }
    const { name } = jsonBody.explanation.claim
    const answer = await app.request('explain', { ...READER, params: { kind: 'nodeclaims', first: name } })
    expect(answer).toMatchObject({ status: 200, jsonBody: { explanation: { kind: 'new', claim: { name } } } })
  })

  it.each<
    [sentence: string, kind: string, names: readonly [first: string, second?: string], status: number, code: string, over?: HttpCall]
  >([
    ['a pod that is not there', 'pods', ['default', 'x'], 404, 'KUBE.NOT_FOUND'],
    ['a claim that is not there', 'nodeclaims', ['x'], 404, 'CLAIM.NOT_FOUND'],
    ['a pod without a namespace', 'pods', ['pod'], 400, 'INPUT.INVALID'],
    ['a claim with a namespace', 'nodeclaims', ['default', 'x'], 400, 'INPUT.INVALID'],
    ['objects of another kind', 'nodes', ['x'], 400, 'INPUT.INVALID'],
    ['the pod of another cluster', 'pods', ['default', 'pod'], 403, 'INPUT.FORBIDDEN', { cluster: 'beta' }],
    ['nobody', 'nodeclaims', ['x'], 401, 'INPUT.UNAUTHENTICATED', { authorization: '' }],
  ])('refuses %s', async (_, kind, [first, second], status, code, over = {}) => {
    const params = { kind, first, ...(second === undefined ? {} : { second }) }
    const answer = await (await appWithPod()).request('explain', { ...READER, params, ...over })
    expect(answer).toMatchObject({ status })
    expect(JSON.parse(String(answer.body))).toMatchObject({ code })
  })

  it('reads the kind in capitals, too', async () => {
    expect(await (await appWithPod()).request('explain', { ...POD, params: { ...POD.params, kind: 'Pods' } })).toMatchObject({
      status: 200,
    })
  })

  it('waits for the shim where its picture has a hole', async () => {
    const answer = await createTestApp().request('explain', POD)
    expect(answer).toMatchObject({ status: 503 })
    expect(JSON.parse(String(answer.body))).toMatchObject({ code: 'STORE.LOG_GAP', retryAfterMs: 1000 })
  })
})
