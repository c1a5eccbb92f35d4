import { describe, expect, it } from 'vitest'
import { clusterId, nodeClaimName } from '../shared/model/ids.ts'
import { printClaimMessage, printDoorbell } from '../shared/wire/message.ts'
import { nodeClaim } from '../test/builders/nodeClaim.ts'
import { nodeClass } from '../test/builders/nodeClass.ts'
import { nodePool } from '../test/builders/nodePool.ts'
import { createTestApp, NOW, type TestApp } from './testing/testApp.ts'

const NEVER = new AbortController().signal

const doorbell = (cluster: string): unknown =>
  JSON.parse(printDoorbell({ kind: 'doorbell', cluster: clusterId(cluster), because: 'resync', eventAt: NOW, urgent: true }))

const step = (cluster: string, claim: string): unknown =>
  JSON.parse(
    printClaimMessage({
      kind: 'nodeClaim',
      cluster: clusterId(cluster),
      claim: nodeClaimName(claim),
      follow: false,
      sentAt: NOW,
      attempt: 0,
    }),
  )

function warnings(app: TestApp): readonly unknown[] {
  return app.worlds.alpha.telemetry.lines.filter((line) => line.level === 'warn' || line.level === 'error')
}

describe('reconcile', () => {
  it('decides for the cluster of the message, and for no other', async () => {
    const app = createTestApp()
    await app.run('reconcile', doorbell('beta'))
    expect(app.worlds.beta.journal.entries.map((write) => write.operation)).toContain('lease.acquire')
    expect(app.worlds.alpha.journal.entries).toEqual([])
  })

  it('takes a message of a cluster it does not know as done, and says so', async () => {
    const app = createTestApp()
    await app.run('reconcile', doorbell('gamma'))
    expect(warnings(app)).toMatchObject([{ fields: { code: 'INPUT.UNKNOWN_CLUSTER' } }])
  })
})

describe('nodeclaim', () => {
  it('takes a claim one step further', async () => {
    const app = createTestApp()
    const { objects, machines } = app.worlds.alpha
    objects.put('nodeClass', nodeClass())
    objects.put('nodePool', nodePool())
    objects.put('nodeClaim', nodeClaim({ stage: 'created', meta: { createdAt: NOW } }))
    await app.run('nodeclaim', step('alpha', 'default-aaaaa'))
    expect(machines.all().map((machine) => machine.claim.name)).toEqual(['default-aaaaa'])
  })

  it('takes a message of a cluster it does not know as done, and says so', async () => {
    const app = createTestApp()
    await app.run('nodeclaim', step('gamma', 'default-aaaaa'))
    expect(warnings(app)).toMatchObject([{ fields: { code: 'INPUT.UNKNOWN_CLUSTER' } }])
  })
})

describe('a message that cannot be read', () => {
  it.each([
    ['reconcile', 'because', { ...(doorbell('alpha') as object), because: 'boredom' }],
    ['nodeclaim', 'claim', { ...(step('alpha', 'default-aaaaa') as object), claim: 7 }],
  ])('%s fails on it by name of the field, so that the host parks it', async (queue, path, message) => {
    const app = createTestApp()
    await expect(app.run(queue, message)).rejects.toMatchObject({ problem: { code: 'INPUT.INVALID', path } })
    expect(app.worlds.alpha.journal.entries).toEqual([])
  })

  it.each(['reconcile', 'nodeclaim'])('ends in poison-%s with what is wrong with it', async (queue) => {
    const app = createTestApp()
    await app.run(`poison-${queue}`, { v: 1, kind: 'nonsense' })
    const { blobs } = app.worlds.alpha.ports
    const [path] = await blobs.list(`poison/${queue}/`, NEVER)
    expect(path).toBeDefined()
    const kept = await blobs.read(path ?? '', NEVER)
    expect(JSON.parse(kept?.value ?? '')).toMatchObject({
      queue,
      at: NOW,
      problem: { code: 'INPUT.INVALID' },
      message: { kind: 'nonsense' },
    })
    expect(warnings(app)).toHaveLength(1)
  })

  it('one about a claim whose handler failed every time is told on the claim', async () => {
    const app = createTestApp()
    const { objects, telemetry } = app.worlds.alpha
    objects.put('nodeClaim', nodeClaim({ stage: 'created', meta: { createdAt: NOW } }))
    await app.run('poison-nodeclaim', step('alpha', 'default-aaaaa'))
    const message = expect.stringContaining('its handler failed every time')
    expect(objects.all('nodeClaim')[0]?.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Launched', status: 'Unknown', reason: 'InputInvalid', message }),
    )
    expect(objects.events).toMatchObject([{ event: { type: 'Warning', reason: 'LaunchFailed' } }])
    expect(telemetry.events.map(({ name }) => name)).toContain('nodeclaim.failed')
    // A claim that is gone, and a claim of a cluster that is not configured here, have no object to report on.
    await app.run('poison-nodeclaim', step('alpha', 'default-bbbbb'))
    await app.run('poison-nodeclaim', step('gamma', 'default-aaaaa'))
  })

  it('one whose handler failed every time says that', async () => {
    const app = createTestApp()
    await app.run('poison-reconcile', doorbell('alpha'))
    expect(warnings(app)).toMatchObject([{ message: expect.stringContaining('its handler failed every time') }])
  })
})
