import { describe, expect, it } from 'vitest'
import { listAt, textAt } from './object/json.ts'
import { openWatch } from './testing/watchLines.ts'
import { type TestServer, withServer } from './testing/withServer.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const make = (server: TestServer, name: string, labels = {}) => server.call('POST', MAPS, { metadata: { name, labels } })
const versionOf = async (server: TestServer) => textAt((await server.call('GET', MAPS)).body, 'metadata', 'resourceVersion')

describe('a watch', () => {
  it('continues from the version of a list without a gap', async () => {
    await withServer({}, async (server) => {
      await make(server, 'a')
      const from = await versionOf(server)
      await make(server, 'b')
      const watch = await openWatch(server.server, `${MAPS}?watch=true&resourceVersion=${from}`)
      await server.call('DELETE', `${MAPS}/a`)
      expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'b' } } })
      expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'a' } } })
      watch.stop()
    })
  })

  it('shows what leaves or enters a selector as deleted or added', async () => {
    await withServer({}, async (server) => {
      await make(server, 'a', { app: 'x' })
      const watch = await openWatch(server.server, `${MAPS}?watch=true&labelSelector=app%3Dx&resourceVersion=${await versionOf(server)}`)
      await server.call('PATCH', `${MAPS}/a`, { metadata: { labels: { app: 'y' } } })
      await server.call('PATCH', `${MAPS}/a`, { metadata: { labels: { app: 'x' } } })
      expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { labels: { app: 'x' } } } })
      expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { labels: { app: 'x' } } } })
      watch.stop()
    })
  })

  it('says 410 in its stream when it starts before what is kept', async () => {
    await withServer({}, async (server) => {
      const from = await versionOf(server)
      await make(server, 'a')
      server.server.compact()
      const watch = await openWatch(server.server, `${MAPS}?watch=true&resourceVersion=${from}`)
      expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
      expect(await watch.next()).toBeUndefined()
    })
  })

  it('streams a list and marks its end when asked to', async () => {
    await withServer({}, async (server) => {
      await make(server, 'a')
      const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion='
      const watch = await openWatch(server.server, `${MAPS}?${query}`)
      expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } })
      expect(await watch.next()).toMatchObject({
        type: 'BOOKMARK',
        object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
      })
      watch.stop()
    })
  })

  it('sends bookmarks, and ends when the server drops its watchers', async () => {
    await withServer({ bookmarkMs: 5 }, async (server) => {
      const watch = await openWatch(server.server, `${MAPS}?watch=true&allowWatchBookmarks=true`)
      expect(await watch.next()).toMatchObject({
        type: 'BOOKMARK',
        object: { kind: 'ConfigMap', metadata: { resourceVersion: expect.any(String) } },
      })
      server.server.disconnectWatches()
      await expect.poll(() => watch.next()).toBeUndefined()
    })
  })

  it('is refused on a paused server and answered again after it resumes on the same port', async () => {
    await withServer({}, async (server) => {
      await make(server, 'a')
      await server.server.pause()
      await expect(server.call('GET', MAPS)).rejects.toThrow('ECONNREFUSED')
      await server.server.resume()
      expect((await server.call('GET', MAPS)).body).toMatchObject({ items: [{ metadata: { name: 'a' } }] })
    })
  })
})

describe('a list', () => {
  it('gives pages of one moment, and 410 for a page whose moment is forgotten', async () => {
    await withServer({}, async (server) => {
      for (const name of ['a', 'b', 'c']) await make(server, name)
      const first = await server.call('GET', `${MAPS}?limit=2`)
      expect(first.body).toMatchObject({
        items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
        metadata: { remainingItemCount: 1 },
      })
      await server.call('DELETE', `${MAPS}/c`)
      const token = textAt(first.body, 'metadata', 'continue')
      const second = await server.call('GET', `${MAPS}?limit=2&continue=${token}`)
      expect(second.body).toMatchObject({ items: [{ metadata: { name: 'c' } }] })
      server.server.compact()
      expect((await server.call('GET', `${MAPS}?limit=2&continue=${token}`)).body).toMatchObject({ code: 410, reason: 'Expired' })
    })
  })

  it('shows an exact version of the past while its history is kept, and refuses one of the future', async () => {
    await withServer({}, async (server) => {
      await make(server, 'a')
      const then = await versionOf(server)
      await server.call('DELETE', `${MAPS}/a`)
      const past = await server.call('GET', `${MAPS}?resourceVersionMatch=Exact&resourceVersion=${then}`)
      expect(past.body).toMatchObject({ items: [{ metadata: { name: 'a' } }], metadata: { resourceVersion: then } })
      expect((await server.call('GET', `${MAPS}?resourceVersionMatch=NotOlderThan&resourceVersion=99999`)).code).toBe(504)
    })
  })

  const SELECTORS = {
    'app=x': ['a'],
    'app!=x': ['b', 'c'],
    'app in (x,y)': ['a', 'b'],
    'app notin (x)': ['b', 'c'],
    app: ['a', 'b'],
    '!app': ['c'],
    'app,tier=1': ['b'],
  }
  it('selects by labels', async () => {
    await withServer({}, async (server) => {
      await make(server, 'a', { app: 'x' })
      await make(server, 'b', { app: 'y', tier: '1' })
      await make(server, 'c')
      const found: Record<string, string[]> = {}
      for (const selector of Object.keys(SELECTORS)) {
        const { body } = await server.call('GET', `${MAPS}?labelSelector=${encodeURIComponent(selector)}`)
        found[selector] = listAt(body, 'items').map((item) => textAt(item, 'metadata', 'name'))
      }
      expect(found).toEqual(SELECTORS)
    })
  })

  it('refuses a field nobody indexes', async () => {
    await withServer({}, async (server) => {
      const answer = await server.call('GET', '/api/v1/nodes?fieldSelector=spec.providerID%3Dx')
      expect(answer).toMatchObject({ code: 400, body: { message: 'field label not supported: spec.providerID' } })
    })
  })
})

describe('events', () => {
  it('read the same through their newer group, in its words', async () => {
    await withServer({}, async (server) => {
      const event = {
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', name: 'a' },
        reason: 'Tested',
        message: 'hello',
        type: 'Normal',
      }
      await server.call('POST', '/api/v1/namespaces/default/events', event)
      const listed = await server.call('GET', '/apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Da')
      expect(listed.body).toMatchObject({
        apiVersion: 'events.k8s.io/v1',
        items: [{ note: 'hello', regarding: { name: 'a' }, reason: 'Tested' }],
      })
      expect((await server.call('POST', '/apis/events.k8s.io/v1/namespaces/default/events', event)).code).toBe(405)
    })
  })
})
