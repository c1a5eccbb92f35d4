import { describe, expect, it } from 'vitest'
import { parseEnvelope } from '../shared/wire/envelope.ts'
import { KIND_PATHS } from './kinds.ts'
import { keptReducer } from './sync/keptReducer.ts'
import type { FakeApp } from './testing/fakeApp.ts'
import { setUp, start } from './testing/forwarderWorld.ts'

const PODS = KIND_PATHS.pod.path
const CLAIMS = KIND_PATHS.nodeClaim.path

function pod(name: string, value = 1, extra: object = {}) {
  return { metadata: { name, namespace: 'default' }, spec: { value }, ...extra }
}

const held = (app: FakeApp, name: string) => app.model.objects().get(`pod default/${name}`) as { value: number } | undefined

describe('the forwarder, on the watches of an API server', () => {
  it('follows every kind, from its snapshot and from its watch', async () => {
    const { kube, app } = await setUp()
    const kinds = Object.entries(KIND_PATHS)
    for (const [, { path }] of kinds) kube.put(path, { metadata: { name: 'listed' } })
    start(kube, app)
    await app.until(() => app.posted.length === 1)
    expect([...app.model.objects().keys()].sort()).toEqual(kinds.map(([kind]) => `${kind} listed`).sort())
    for (const [, { path }] of kinds) kube.put(path, { metadata: { name: 'watched' } })
    await app.until(() => app.model.objects().size === 2 * kinds.length)
    for (const [, { path }] of kinds) kube.remove(path, 'listed')
    await app.until(() => app.model.objects().size === kinds.length)
    expect([...app.model.objects().keys()].sort()).toEqual(kinds.map(([kind]) => `${kind} watched`).sort())
  })

  it('says which kind it cannot list, until it can', async () => {
    const { kube, app } = await setUp()
    kube.failLists(500, Number.POSITIVE_INFINITY)
    const shim = start(kube, app)
    await expect.poll(() => shim.unreadyReasons()).toContainEqual(expect.stringMatching(/^list pod: .*answered 500/))
    kube.failLists(0, 0)
    await expect.poll(() => shim.unreadyReasons()).toEqual([])
  })

  it('goes on from the last bookmark when a watch closes', async () => {
    const { kube, app } = await setUp()
    start(kube, app)
    await expect.poll(() => kube.watchedFrom(PODS).length).toBe(1)
    kube.say(PODS, { type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '777' } } })
    kube.closeWatches()
    await expect.poll(() => kube.watchedFrom(PODS).at(1)).toBe(777)
    expect(kube.lists(PODS)).toBe(1)
  })

  it('is not stopped by nonsense from the API server', async () => {
    const { kube, app } = await setUp()
    const shim = start(kube, app, {}, { reduceBy: keptReducer })
    const meta = { namespace: 'default', uid: 'u', creationTimestamp: '2026-11-01T00:00:00Z' }
    const sane = { containers: [{ name: 'main', image: 'pause' }] }
    const absurd: { readonly [name: string]: object } = {
      'spec-is-text': { spec: 'x', status: null },
      'containers-are-an-object': { spec: { containers: {} }, status: { conditions: 'none' } },
      'cpu-is-a-poem': { spec: { containers: [{ name: 'c', resources: { requests: { cpu: 'lots', memory: -1 } } }] } },
      'labels-are-numbers': { metadata: { ...meta, name: 'labels-are-numbers', labels: { a: 1 } }, spec: sane },
    }
    const put = (name: string, object: object) => kube.put(PODS, { metadata: { ...meta, name }, ...object })
    for (const [name, object] of Object.entries(absurd)) put(`listed-${name}`, { ...object, metadata: { ...meta, name: `listed-${name}` } })
    await app.until(() => app.posted.length > 0)
    for (const object of [null, {}, { metadata: null }, { metadata: { uid: 'nameless' } }]) kube.say(PODS, { type: 'ADDED', object })
    for (const [name, object] of Object.entries(absurd)) put(name, object)
    put('huge', { metadata: { ...meta, name: 'huge', annotations: { note: 'x'.repeat(3_000_000) } }, spec: sane })
    put('sane', { spec: sane })
    await app.until(() => app.model.objects().has('pod default/sane'))
    const read = app.posted.map(parseEnvelope).flatMap((each) => (each.ok ? each.value.envelope.body.changes : []))
    const invalid = read.flatMap(({ op, key }) => (op === 'invalid' ? [key] : []))
    expect(invalid).toEqual(expect.arrayContaining(Object.keys(absurd).map((name) => `default/${name}`)))
    expect(JSON.stringify(app.model.objects().get('pod default/huge')).length).toBeLessThan(1_000)
    expect(shim.unreadyReasons()).toEqual([])
  })

  it('waits for an API server that is down when it starts', async () => {
    const { kube, app } = await setUp()
    kube.put(PODS, pod('a'))
    let server = new URL('http://127.0.0.1:9')
    const connection = {
      get server() {
        return server
      },
      options: kube.connection.options,
    }
    const shim = start({ ...kube, connection }, app)
    await expect.poll(() => shim.unreadyReasons()).toEqual(['the lease cannot be read'])
    server = kube.connection.server
    await app.until(() => held(app, 'a') !== undefined)
    await expect.poll(() => shim.unreadyReasons()).toEqual([])
  })

  it('catches up after its watches broke or were told 410', async () => {
    const { kube, app } = await setUp()
    kube.put(PODS, pod('a'))
    kube.put(PODS, pod('gone'))
    start(kube, app)
    await app.until(() => held(app, 'gone') !== undefined)
    kube.breakWatches()
    kube.put(PODS, pod('a', 2))
    await app.until(() => held(app, 'a')?.value === 2)
    kube.put(PODS, pod('a', 3))
    kube.remove(PODS, 'default/gone')
    kube.compact()
    await app.until(() => held(app, 'a')?.value === 3 && held(app, 'gone') === undefined)
  })

  it.each([410, 404])('lists again when a watch is answered %i', async (status) => {
    const { kube, app } = await setUp()
    const shim = start(kube, app)
    await app.until(() => app.posted.length === 1)
    const before = kube.lists(PODS)
    kube.failWatches(status, Number.POSITIVE_INFINITY)
    kube.breakWatches()
    await expect.poll(() => kube.lists(PODS)).toBeGreaterThan(before)
    kube.put(PODS, pod('late'))
    kube.failWatches(0, 0)
    await app.until(() => held(app, 'late') !== undefined)
    await expect.poll(() => shim.unreadyReasons()).toEqual([])
  })

  it('goes on where a watch was when it is answered 500, without a list', async () => {
    const { kube, app } = await setUp()
    const shim = start(kube, app)
    await app.until(() => app.posted.length === 1)
    const before = kube.lists(PODS)
    kube.failWatches(500, Number.POSITIVE_INFINITY)
    kube.breakWatches()
    await expect.poll(() => shim.unreadyReasons()).toContainEqual(expect.stringContaining('answered 500'))
    kube.put(PODS, pod('late'))
    kube.failWatches(0, 0)
    await app.until(() => held(app, 'late') !== undefined)
    expect(kube.lists(PODS)).toBe(before)
  })

  it('begins a list again whose pages took too long to read, and keeps nothing of the first try', async () => {
    const { kube, app } = await setUp()
    for (let index = 0; index < 150; index++) kube.put(PODS, pod(`pod-${index}`))
    kube.expireListAfterPage(PODS, 1, () => kube.remove(PODS, 'default/pod-0'))
    start(kube, app)
    await app.until(() => app.posted.length > 0 && held(app, 'pod-149') !== undefined)
    expect(held(app, 'pod-0')).toBeUndefined()
    expect(app.model.objects().size).toBe(149)
  })

  it('is well again as soon as a watch is open that was refused, silent as it may be', async () => {
    const { kube, app } = await setUp()
    kube.failWatches(429, Number.POSITIVE_INFINITY)
    const shim = start(kube, app)
    await expect.poll(() => shim.unreadyReasons()).toContainEqual(expect.stringContaining('answered 429'))
    kube.failWatches(0, 0)
    await expect.poll(() => shim.unreadyReasons()).toEqual([])
  })

  it('waits for a definition that is installed later', async () => {
    const { kube, app } = await setUp([CLAIMS])
    const shim = start(kube, app)
    await app.until(() => app.posted.length === 1)
    await expect.poll(() => shim.unreadyReasons()).toEqual([])
    kube.serve(CLAIMS)
    kube.put(CLAIMS, { metadata: { name: 'claim' } })
    await app.until(() => app.model.objects().has('nodeClaim claim'))
  })
})
