import { describe, expect, it } from 'vitest'
import { KEPT_LISTS } from '../shared/wire/kept/told.ts'
import { KIND_PATHS } from './kinds.ts'
import { keyOfChange } from './testing/appModel.ts'
import type { FakeApp } from './testing/fakeApp.ts'
import type { FakeKube } from './testing/fakeKube.ts'
import { setUp, start } from './testing/forwarderWorld.ts'

const PODS = KIND_PATHS.pod.path
const UNSCHEDULABLE = { conditions: [{ type: 'PodScheduled', reason: 'Unschedulable' }] }

function pod(name: string, value = 1, extra: object = {}) {
  return { metadata: { name, namespace: 'default' }, spec: { value }, ...extra }
}

const held = (app: FakeApp, name: string) => app.model.objects().get(`pod default/${name}`) as { value: number } | undefined

describe('the forwarder', () => {
  it('begins a term with a snapshot of everything, then sends each change', async () => {
    const { kube, app } = await setUp()
    kube.put(PODS, pod('a'))
    kube.put(KIND_PATHS.node.path, { metadata: { name: 'n' } })
    start(kube, app)
    await app.until(() => app.posted.length === 1)
    expect(app.posted[0]).toMatchObject({
      v: 2,
      cluster: 'demo',
      kept: KEPT_LISTS.number,
      body: { kind: 'snapshot', seq: 1, part: 1, parts: 1 },
    })
    expect([...app.model.objects().keys()].sort()).toEqual(['node n', 'pod default/a'])
    kube.put(PODS, pod('b', 2))
    await app.until(() => held(app, 'b')?.value === 2)
    kube.remove(PODS, 'default/a')
    await app.until(() => held(app, 'a') === undefined)
    expect(app.headers[0]).toMatchObject({ url: '/api/clusters/demo/events', 'x-functions-key': 'the-key', 'content-encoding': 'gzip' })
  })

  it('counts what it lists, watches and sends', async () => {
    const { kube, app } = await setUp()
    kube.put(PODS, pod('a'))
    const shim = start(kube, app)
    await app.until(() => app.posted.length === 1)
    kube.put(PODS, pod('b', 1, { status: UNSCHEDULABLE }))
    await app.until(() => held(app, 'b') !== undefined)
    const measures = [
      'leader 1',
      'objects 2',
      'pending_pods 1',
      'unsent_changes 0',
      'snapshots_total 1',
      'lists_total{kind="pod",because="snapshot"} 1',
      'watch_events_total{kind="pod"} 1',
      'kind_watched{kind="pod"} 1',
      'changes_sent_total{body="snapshot"} 1',
      'changes_sent_total{body="changes"} 1',
      'outbox_overflows_total 0',
    ]
    for (const measure of measures) await expect.poll(() => shim.metricsText()).toContain(`joiner_shim_${measure}\n`)
    kube.failWatches(500, Number.POSITIVE_INFINITY)
    kube.breakWatches()
    await expect.poll(() => shim.metricsText()).toContain('joiner_shim_kind_watched{kind="pod"} 0\n')
    await expect.poll(() => shim.metricsText()).toMatch(/joiner_shim_watch_breaks_total\{kind="pod"\} [1-9]/)
    expect(shim.unreadyReasons()).toContainEqual(expect.stringMatching(/^watch pod: .*answered 500/))
  })

  it.each([
    ['is broken off', (kube: FakeKube) => kube.breakWatches()],
    [
      'is refused',
      (kube: FakeKube) => {
        kube.failWatches(410, 1)
        kube.closeWatches()
      },
    ],
  ])('counts a watch that %s, by its kind', async (_, breakOff) => {
    const { kube, app } = await setUp(Object.values(KIND_PATHS).flatMap(({ path }) => (path === PODS ? [] : [path])))
    const shim = start(kube, app)
    await app.until(() => app.posted.length === 1)
    await expect.poll(() => kube.watchedFrom(PODS).length).toBe(1)
    breakOff(kube)
    await expect.poll(() => shim.metricsText()).toContain('joiner_shim_watch_breaks_total{kind="pod"} 1\n')
    // The watch goes on, or the kind is listed again. Neither makes the shim unready.
    expect(shim.unreadyReasons()).toEqual([])
  })

  it('measures what is unsent while the app is away', async () => {
    const { kube, app } = await setUp()
    const shim = start(kube, app)
    await app.until(() => app.posted.length === 1)
    app.setAway(true)
    for (const name of ['a', 'b', 'c']) kube.put(PODS, pod(name))
    await expect.poll(() => shim.metricsText()).toMatch(/joiner_shim_unsent_changes [1-9]/)
    app.setAway(false)
    await app.until(() => app.model.objects().size === 3)
    await expect.poll(() => shim.metricsText()).toContain('joiner_shim_unsent_changes 0\n')
  })

  it('stops posting once another replica wrote the lease', async () => {
    const { kube, app } = await setUp()
    const stale = start(kube, app)
    await app.until(() => app.posted.length === 1)
    kube.stealLease('shim-b')
    await expect.poll(() => stale.metricsText()).toMatch(/joiner_shim_leader 0/)
    const before = app.posted.length
    for (let index = 0; index < 20; index++) kube.put(PODS, pod(`late-${index}`))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(app.posted).toHaveLength(before)
  })

  it('gives the lease back when it ends', async () => {
    const { kube, app } = await setUp()
    const shim = start(kube, app)
    await app.until(() => app.posted.length === 1)
    expect(kube.leaseHolder()).toBe('shim-a')
    await shim.stop()
    expect(kube.leaseHolder()).toBe('')
  })

  it('numbers changes without holes', async () => {
    const { kube, app } = await setUp()
    start(kube, app)
    for (let index = 0; index < 40; index++) kube.put(PODS, pod(`p${index}`))
    await app.until(() => app.model.objects().size === 40)
    const numbers = app.posted.flatMap(({ body }) => (body.kind === 'changes' ? body.changes.map((change) => change.seq) : []))
    expect(numbers).toEqual(numbers.map((_, index) => index + 2))
  })

  it('does not send a version that is reduced to what was sent last', async () => {
    const { kube, app } = await setUp()
    start(kube, app)
    kube.put(PODS, pod('a', 1))
    await app.until(() => held(app, 'a')?.value === 1)
    kube.put(PODS, pod('a', 1, { irrelevant: true }))
    kube.put(PODS, pod('b', 1))
    await app.until(() => held(app, 'b') !== undefined)
    const sent = app.posted.flatMap(({ body }) => body.changes.map(keyOfChange))
    expect(sent).toEqual(['default/a', 'default/b'])
  })

  it('reports a finished pod as deleted', async () => {
    const { kube, app } = await setUp()
    kube.put(PODS, pod('done', 1, { status: { phase: 'Succeeded' } }))
    kube.put(PODS, pod('a'))
    start(kube, app)
    await app.until(() => held(app, 'a') !== undefined)
    kube.put(PODS, pod('a', 1, { status: { phase: 'Failed' } }))
    await app.until(() => held(app, 'a') === undefined)
    expect(held(app, 'done')).toBeUndefined()
  })

  it('keeps trying while the app is away and loses nothing', async () => {
    const { kube, app } = await setUp()
    const shim = start(kube, app)
    await app.until(() => app.posted.length === 1)
    app.answerNext(...[503, 500, 429, 401].map((status) => ({ status, body: { code: 'STORE.X', message: 'away' } })))
    for (const value of [1, 2, 3]) kube.put(PODS, pod('a', value))
    await app.until(() => held(app, 'a')?.value === 3)
    await expect.poll(() => shim.unreadyReasons()).toEqual([])
  })

  it('sends a snapshot when the app asks for one', async () => {
    const { kube, app } = await setUp()
    start(kube, app)
    await app.until(() => app.posted.length === 1)
    app.answerNext({ status: 202, body: { accepted: 1, rejected: [], sendSnapshot: 'change 7 never came' } })
    kube.put(PODS, pod('a'))
    await app.until(() => app.posted.some(({ body }) => body.kind === 'snapshot' && body.seq > 1))
    expect(app.posted.at(-1)?.body.changes).toHaveLength(1)
  })

  it('puts an invalid change in the place of one the app will not take', async () => {
    const { kube, app } = await setUp()
    start(kube, app)
    await app.until(() => app.posted.length === 1)
    app.answerNext({ status: 202, body: { accepted: 0, rejected: [{ seq: 2, problem: { code: 'INPUT.INVALID', message: 'no' } }] } })
    kube.put(PODS, pod('a'))
    await app.until(() => app.posted.length === 3)
    expect(app.posted[2]?.body.changes).toMatchObject([
      { seq: 2, op: 'invalid', kind: 'pod', key: 'default/a', problem: { code: 'INPUT.INVALID' } },
    ])
  })

  it('splits a batch the app calls malformed until the culprit stands alone', async () => {
    const { kube, app } = await setUp()
    start(kube, app)
    await app.until(() => app.posted.length === 1)
    const bad = { status: 400, body: { code: 'INPUT.INVALID', message: 'changes[1].key' } }
    // A refused body goes again as gzip, in case that the app cannot unpack it.
    app.answerNext({ status: 503, body: {} }, bad, bad, bad, bad)
    for (const name of ['a', 'b', 'c', 'd']) kube.put(PODS, pod(name))
    await app.until(() => app.model.objects().size === 4)
    const numbers = app.posted.flatMap(({ body }) => (body.kind === 'changes' ? body.changes.map((change) => change.seq) : []))
    expect([...new Set(numbers)].sort()).toEqual([2, 3, 4, 5])
    expect([...app.model.objects().values()].filter((object) => object === 'invalid')).toHaveLength(1)
  })

  it('sends pods that still wait again, and an empty batch when none does', async () => {
    const { kube, app } = await setUp()
    kube.put(PODS, pod('waits', 1, { status: UNSCHEDULABLE }))
    start(kube, app, { resendMs: 30 })
    await app.until(() => app.posted.filter(({ body }) => body.kind === 'changes' && body.changes.length === 1).length >= 2)
    kube.put(PODS, pod('waits', 1, { spec: { nodeName: 'n' } }))
    await app.until(() => app.posted.at(-1)?.body.changes.length === 0)
  })

  it('replaces too many unsent changes by a snapshot', async () => {
    const { kube, app } = await setUp()
    const shim = start(kube, app, { unsentBytes: 500 })
    await app.until(() => app.posted.length === 1)
    app.setAway(true)
    for (let index = 0; index < 50; index++) kube.put(PODS, pod(`p${index}`))
    await expect.poll(() => shim.metricsText()).toMatch(/outbox_overflows_total [1-9]/)
    app.setAway(false)
    await app.until(() => app.model.objects().size === 50)
    expect(app.posted.some(({ body }) => body.kind === 'snapshot' && body.seq > 1)).toBe(true)
  })

  it('has one leader; the next takes over with a greater term', async () => {
    const { kube, app } = await setUp()
    kube.put(PODS, pod('a'))
    const first = start(kube, app, { podName: 'shim-a' })
    await app.until(() => app.posted.length === 1)
    const second = start(kube, app, { podName: 'shim-b' })
    kube.put(PODS, pod('b'))
    await app.until(() => held(app, 'b') !== undefined)
    expect(new Set(app.posted.map(({ term }) => term)).size).toBe(1)
    await expect.poll(() => second.unreadyReasons()).toEqual([])
    await first.stop()
    kube.remove(PODS, 'default/a')
    await app.until(() => held(app, 'a') === undefined)
    const terms = [...new Set(app.posted.map(({ term }) => term))]
    expect(terms).toHaveLength(2)
    expect(terms[1]).toBeGreaterThan(terms[0] ?? 0)
  })

  it('leads no longer than a term lasts, and begins the next with a snapshot, whatever numbers somebody used in the last', async () => {
    const { kube, app } = await setUp()
    kube.put(PODS, pod('a'))
    start(kube, app, {}, { termMs: 300 })
    await app.until(() => app.posted.length === 1)
    const [first] = app.posted
    const empty = { kind: 'snapshot', seq: Number.MAX_SAFE_INTEGER, part: 0, parts: 1, changes: [] } as const
    app.model.apply(first?.term ?? 0, empty)
    expect(held(app, 'a')).toBeUndefined()
    await app.until(() => held(app, 'a') !== undefined)
    const next = app.posted.find(({ term }) => term > (first?.term ?? 0))
    expect(next?.body.kind).toBe('snapshot')
  })

  it('posts what is unsent before it ends', async () => {
    const { kube, app } = await setUp()
    const shim = start(kube, app, { windowMs: 2_000 })
    await app.until(() => app.posted.length === 1)
    kube.put(PODS, pod('a'))
    await app.until(() => held(app, 'a') !== undefined)
    kube.put(PODS, pod('b'))
    await expect.poll(() => shim.metricsText()).toContain('joiner_shim_watch_events_total{kind="pod"} 2\n')
    await shim.stop()
    expect(held(app, 'b')).toBeDefined()
  })
})
