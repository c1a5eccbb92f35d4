import { describe, expect, it } from 'vitest'
import { appOf } from './appTrial.ts'

const CLUSTER = '/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c'
const APP = { JOINER_APP_NAME: 'func-joiner-x', JOINER_APP_ENDPOINT: 'https://app.example' }
const REFUSED = JSON.stringify({ code: 'SETTING.INVALID', message: 'JOINER_CLUSTERS is missing' })

const answer =
  (status: number, text = '') =>
  async (): Promise<Response> =>
    new Response(text, { status })
const none = (): Promise<Response> => Promise.reject(new Error('no route to host'))

describe('the app that smoke makes machines through', () => {
  it.each<[string, object, () => Promise<Response>, object]>([
    ['one that answers', APP, answer(401), { name: 'func-joiner-x' }],
    ['none', {}, answer(401), { why: 'no app is deployed in this environment' }],
    ['one that is not reached', APP, none, { why: 'app func-joiner-x is not reached from here: no route to host' }],
    ['one behind a closed network', APP, answer(403), { why: 'app func-joiner-x is not reached from here: it answered 403' }],
    [
      'one that refuses its settings',
      APP,
      answer(503, REFUSED),
      { why: expect.stringMatching(/^app func-joiner-x does no work: JOINER_CLUSTERS is missing; correct them with azd env set/) },
    ],
    ['one without functions', APP, answer(404), { why: expect.stringMatching(/^app func-joiner-x does no work: .*0 functions loaded/) }],
  ])('%s', async (_, environment, web, want) => {
    // Azure ignores the case of ids.
    expect(await appOf({ environment: { ...environment }, clusterIds: [CLUSTER.toUpperCase()], resourceId: CLUSTER }, { web })).toEqual(
      want,
    )
  })

  it('is none where the cluster is not of its environment, whatever it answers', async () => {
    const of = { environment: APP, clusterIds: [`${CLUSTER}2`], resourceId: CLUSTER }
    expect(await appOf(of, { web: answer(401) })).toEqual({ why: 'app func-joiner-x does not manage this cluster' })
    const demo = { ...of, environment: { ...APP, JOINER_DEMO_CLUSTER_ID: CLUSTER } }
    expect(await appOf(demo, { web: answer(401) })).toEqual({ name: 'func-joiner-x' })
  })
})
