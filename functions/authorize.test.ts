import { describe, expect, it } from 'vitest'
import type { Right } from './appDeps.ts'
import { createTestApp, type HttpCall } from './testing/testApp.ts'

/** The right that each function about one cluster requires. A new function needs a row here. */
const RIGHTS: { readonly [name: string]: Right } = {
  events: 'post',
  'cluster-status': 'read',
  explain: 'read',
}
const CALLER: { readonly [Each in Right]: string } = { post: 'Bearer shim-a', read: 'Bearer reader-a' }
const OTHER: { readonly [Each in Right]: Right } = { post: 'read', read: 'post' }
const PARAMS = { kind: 'pods', first: 'default', second: 'x' }

describe('every function about one cluster', () => {
  it('asks for a token and no key: neither the shim nor who reads is given one', () => {
    const keyed = [...createTestApp().httpRoutes].filter(([, { authLevel }]) => authLevel !== 'anonymous').map(([name]) => name)
    expect(keyed).toEqual(['status'])
  })

  it('has its right in the table', () => {
    expect([...createTestApp().clusterRoutes].sort()).toEqual(Object.keys(RIGHTS).sort())
  })

  it.each(Object.entries(RIGHTS))('%s asks for the right to %s, and the other right is none', async (name, right) => {
    const app = createTestApp()
    const call = { cluster: 'alpha', params: PARAMS, body: name === 'events' ? '{}' : undefined } as HttpCall
    expect((await app.request(name, { ...call, authorization: CALLER[right] })).status).not.toBe(403)
    expect(await app.request(name, { ...call, authorization: CALLER[OTHER[right]] })).toMatchObject({ status: 403 })
    expect(await app.request(name, call)).toMatchObject({ status: 401 })
  })

  it.each(Object.keys(RIGHTS))('%s answers for a cluster that is foreign as for one that is not there', async (name) => {
    const app = createTestApp()
    const answerOf = async (cluster: string, caller: string) => {
      const answer = await app.request(name, { cluster, params: PARAMS, authorization: caller })
      return JSON.stringify(answer).replaceAll(cluster, 'CLUSTER')
    }
    for (const caller of [...Object.values(CALLER), 'Bearer someone', 'Bearer expired']) {
      expect(await answerOf('beta', caller)).toBe(await answerOf('gamma', caller))
    }
    const { entries } = app.worlds.beta.journal
    expect(entries).toEqual([])
  })
})
