import { describe, expect, it } from 'vitest'
import { nodeClaimName } from '../shared/model/ids.ts'
import { CLUSTERS, createTestApp, NOW } from './testing/testApp.ts'

describe('timers', () => {
  it('disruption rings for every cluster', async () => {
    const app = createTestApp()
    await app.run('disruption', {})
    for (const name of CLUSTERS) {
      expect(app.worlds[name].queues.waiting()).toEqual([
        { kind: 'doorbell', cluster: name, because: 'disruption', eventAt: NOW, urgent: true },
      ])
    }
  })

  it('resync rings for every cluster, also for those after one that fails, and fails at the end', async () => {
    const app = createTestApp()
    app.worlds.alpha.failCall('queue.ring', 1, { when: 'before', how: 'fault' })
    await expect(app.run('resync', {})).rejects.toThrow('resync failed for 1 of 2 clusters')
    expect(app.worlds.beta.queues.waiting()).toMatchObject([{ kind: 'doorbell', because: 'resync' }])
    expect(app.worlds.alpha.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'error', fields: { cluster: 'alpha', work: 'resync' } }),
    )
  })

  it('gc removes the interface that no machine has', async () => {
    const app = createTestApp()
    const { machines, clock } = app.worlds.beta
    machines.interfaces.set('joiner-default-lost', { name: 'joiner-default-lost', claim: nodeClaimName('default-lost'), createdAt: NOW })
    await clock.advance(24 * 3_600_000)
    await app.run('gc', {})
    expect([...machines.interfaces.keys()]).toEqual([])
  })

  it('catalog refreshes those after one that fails, says which failed, and fails at the end', async () => {
    const app = createTestApp()
    app.worlds.alpha.failCall('catalog.refresh', 1, { when: 'before', how: 'fault' })
    await expect(app.run('catalog', {})).rejects.toThrow('catalog failed for 1 of 2 clusters')
    expect(app.worlds.beta.catalog.fetchedAt).toBe(NOW)
    expect(app.worlds.alpha.telemetry.lines).toContainEqual(expect.objectContaining({ level: 'error', fields: { work: 'catalog' } }))
  })

  it('catalog refreshes and says what it holds', async () => {
    const app = createTestApp()
    await app.run('catalog', {})
    expect(app.worlds.alpha.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'info', fields: expect.objectContaining({ fetchedAt: NOW }) }),
    )
  })
})
