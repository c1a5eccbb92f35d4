import { describe, expect, it } from 'vitest'
import { createSensor } from '../shared/adapters/memory/sensor.ts'
import { nodeClass } from '../test/builders/nodeClass.ts'
import { nodePool } from '../test/builders/nodePool.ts'
import { pod } from '../test/builders/pod.ts'
import { createTestApp, type HttpCall, type TestApp } from './testing/testApp.ts'

const NEVER = new AbortController().signal
const READER = { cluster: 'alpha', authorization: 'Bearer reader-a' }
const POD = { ...READER, params: { namespace: 'default', name: 'pod' } }

/** A cluster with one pod that waits, as its shim has told it. */
async function appWithPod(): Promise<TestApp> {
  const app = createTestApp()
  const world = app.worlds.alpha
  world.objects.put('nodeClass', nodeClass())
  world.objects.put('nodePool', nodePool())
  world.objects.put('pod', pod())
  await world.ports.log.append(createSensor(world, 1).snapshot(), NEVER)
  return app
}

describe('explain', () => {
  it('says of a pod what a decision made now would do, and writes nothing', async () => {
    const app = await appWithPod()
    const written = app.worlds.alpha.journal.entries.length
    const answer = await app.request('explain-pod', POD)
    expect(answer).toMatchObject({
      status: 200,
      jsonBody: {
        explanation: { kind: 'onNewClaim', pod: 'default/pod', claim: { pool: 'default', choice: { price: expect.any(Number) } } },
        text: expect.arrayContaining(['pod default/pod gets a new node']),
      },
    })
    expect(app.worlds.alpha.journal.entries).toHaveLength(written)
  })

  it('says it in lines to whoever asks for text', async () => {
    const answer = await (await appWithPod()).request('explain-pod', { ...POD, headers: { accept: 'text/plain' } })
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('text/plain') } })
    expect(String(answer.body)).toMatch(/^pod default\/pod gets a new node\n {2}nodeclaim default-\w+ of nodepool default, for one pod\n/)
  })

  it('says of the claim that the pod gets why it is what it is', async () => {
    const app = await appWithPod()
    const { jsonBody } = (await app.request('explain-pod', POD)) as { jsonBody: { explanation: { claim: { name: string } } } }
    const { name } = jsonBody.explanation.claim
    const answer = await app.request('explain-nodeclaim', { ...READER, params: { name } })
    expect(answer).toMatchObject({ status: 200, jsonBody: { explanation: { kind: 'new', claim: { name } } } })
  })

  it.each<[string, string, HttpCall, number, string]>([
    ['a pod that is not there', 'explain-pod', { ...READER, params: { namespace: 'default', name: 'x' } }, 404, 'KUBE.NOT_FOUND'],
    ['a claim that is not there', 'explain-nodeclaim', { ...READER, params: { name: 'x' } }, 404, 'CLAIM.NOT_FOUND'],
    ['the pod of another cluster', 'explain-pod', { ...POD, cluster: 'beta' }, 403, 'INPUT.FORBIDDEN'],
    ['nobody', 'explain-nodeclaim', { cluster: 'alpha', params: { name: 'x' } }, 401, 'INPUT.UNAUTHENTICATED'],
  ])('refuses %s', async (_, route, call, status, code) => {
    const answer = await (await appWithPod()).request(route, call)
    expect(answer).toMatchObject({ status })
    expect(JSON.parse(String(answer.body))).toMatchObject({ code })
  })

  it('waits for the shim where its picture has a hole', async () => {
    const answer = await createTestApp().request('explain-pod', POD)
    expect(answer).toMatchObject({ status: 503 })
    expect(JSON.parse(String(answer.body))).toMatchObject({ code: 'STORE.LOG_GAP', retryAfterMs: 1000 })
  })
})
