import { describe, expect, it } from 'vitest'
import { nodeClaimName } from '../shared/model/ids.ts'
import { CLUSTERS, createTestApp, NOW, type TestApp } from './testing/testApp.ts'

const MINUTE = 60_000

/** Creates an app whose shims have posted changes that no process has looked at yet. */
async function appWithNews(): Promise<TestApp> {
  const app = createTestApp()
  for (const cluster of CLUSTERS) {
    const { log } = app.worlds[cluster].ports
    await log.append({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes: [] } }, new AbortController().signal)
  }
  return app
}

/** Returns how often catalogs were fetched in `runs` runs of the timer, half a minute apart. */
async function fetches(app: TestApp, runs: number): Promise<number> {
  const isFetch = ({ message }: { readonly message: string }): boolean => message.startsWith('catalog refreshed')
  const before = app.worlds.alpha.telemetry.lines.filter(isFetch).length
  for (let run = 0; run < runs; run++) {
    await app.worlds.alpha.clock.advance(MINUTE / 2)
    await app.run('timer', {})
  }
  return app.worlds.alpha.telemetry.lines.filter(isFetch).length - before
}

describe('the timer', () => {
  it('is the only one', () => {
    expect([...createTestApp().triggers].flatMap(([name, kind]) => (kind === 'timer' ? [name] : []))).toEqual(['timer'])
  })

  it('asks for a decision of every cluster with news, and for those for disruption that come due before it runs again', async () => {
    const app = await appWithNews()
    await app.run('timer', {})
    const { clock } = app.worlds.alpha
    const decided: (readonly [cluster: string, at: number, because: readonly string[]])[] = []
    for (let at = 0; at < 60; at++) {
      for (const cluster of CLUSTERS) {
        const { queue } = app.covers[cluster]
        const work = queue.get()
        if (work === undefined || !('requests' in work)) continue
        decided.push([cluster, at, work.requests.map(({ because }) => because)])
        queue.done(work)
      }
      await clock.advance(1_000)
    }
    const wanted = [0, 10, 20, 30, 40, 50].flatMap((at) => CLUSTERS.map((cluster) => [cluster, at, at === 0 ? ['resync'] : []]))
    expect(decided).toEqual(wanted)
  })

  it('works for those after one that fails, and fails at the end', async () => {
    const app = await appWithNews()
    app.worlds.alpha.failCall('api.listClaims', 1, { when: 'before', how: 'fault' })
    await expect(app.run('timer', {})).rejects.toThrow('the timer failed for 1 of 2 clusters')
    expect(app.covers.beta.queue.get()).toMatchObject({ key: 'decide', requests: [{ because: 'resync' }] })
    expect(app.worlds.alpha.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'error', fields: { cluster: 'alpha', work: 'resync' } }),
    )
  })

  it('removes the interface that no machine has', async () => {
    const app = createTestApp()
    const { machines, clock } = app.worlds.beta
    machines.interfaces.set('joiner-default-lost', { name: 'joiner-default-lost', claim: nodeClaimName('default-lost'), createdAt: NOW })
    await clock.advance(24 * 60 * MINUTE)
    await app.run('timer', {})
    expect([...machines.interfaces.keys()]).toEqual([])
  })

  it('tells of each cluster that it is looked after, also of one that was never looked at', async () => {
    const app = createTestApp()
    app.worlds.alpha.failCall('catalog.refresh', 1, { when: 'before', how: 'fault' })
    await expect(app.run('timer', {})).rejects.toThrow()
    const told = app.worlds.alpha.telemetry.measures.filter(({ name }) => name === 'cluster.watched')
    expect(told.map(({ value, fields }) => [fields['cluster'], value])).toEqual([
      ['alpha', 1],
      ['beta', 1],
    ])
  })

  it('refreshes the catalogs after one that fails, and says which failed', async () => {
    const app = createTestApp()
    app.worlds.alpha.failCall('catalog.refresh', 1, { when: 'before', how: 'fault' })
    await expect(app.run('timer', {})).rejects.toThrow('the timer failed for 1 of 2 clusters')
    expect(app.worlds.beta.catalog.fetchedAt).toBe(NOW)
    expect(app.worlds.alpha.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'error', fields: { cluster: 'alpha', work: 'catalog' } }),
    )
  })

  it('refreshes a catalog when it is due and says what it holds', async () => {
    const app = createTestApp()
    await app.run('timer', {})
    expect(app.worlds.alpha.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'info', fields: expect.objectContaining({ fetchedAt: NOW }) }),
    )
    expect(await fetches(app, 120)).toBe(6)
  })

  it('does once what a long pause made overdue', async () => {
    const app = createTestApp()
    await app.run('timer', {})
    await app.worlds.alpha.clock.advance(24 * 60 * MINUTE)
    expect(await fetches(app, 1)).toBe(1)
    expect(await fetches(app, 20)).toBe(1)
  })

  it('does at its next run what a dead process left', async () => {
    const app = createTestApp()
    app.worlds.alpha.failCall('cloud.list', 1, { when: 'before', how: 'kill' })
    await expect(app.run('timer', {})).rejects.toThrow('the timer failed')
    const { blobs } = app.worlds.alpha.start().ports
    expect(await blobs.read('clusters/alpha/timer', new AbortController().signal)).toBeUndefined()
  })

  it('lets work that failed wait for its next time', async () => {
    const app = createTestApp()
    app.worlds.beta.failCall('catalog.refresh', 1, { when: 'before', how: 'fault' })
    await expect(app.run('timer', {})).rejects.toThrow('the timer failed')
    await app.run('timer', {})
    expect(app.worlds.beta.catalog.fetchedAt).toBeUndefined()
  })

  it.each(['', '{}', '{"v":2}', '{"v":1,"gc":"soon"}', 'null'])('does everything where what it remembers is %j', async (text) => {
    const app = createTestApp()
    await app.worlds.alpha.ports.blobs.write('clusters/beta/timer', text, 'any', new AbortController().signal)
    await app.run('timer', {})
    expect(app.worlds.beta.catalog.fetchedAt).toBe(NOW)
  })
})
