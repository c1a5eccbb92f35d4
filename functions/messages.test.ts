import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../scripts/floors.ts'
import { clusterId, nodeClaimName } from '../shared/model/ids.ts'
import { Fault, problem } from '../shared/model/problem.ts'
import { printClaimMessage, printDoorbell } from '../shared/wire/message.ts'
import { nodeClaim } from '../test/builders/nodeClaim.ts'
import { nodeClass } from '../test/builders/nodeClass.ts'
import { nodePool } from '../test/builders/nodePool.ts'
import { MOST_TRIES } from './queueWork.ts'
import { createTestApp, NOW, type TestApp } from './testing/testApp.ts'

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

describe('work that fails', () => {
  const UNREADABLE: readonly [queue: string, path: string, message: object][] = [
    ['reconcile', 'because', { ...(doorbell('alpha') as object), because: 'boredom' }],
    ['nodeclaim', 'claim', { ...(step('alpha', 'default-aaaaa') as object), claim: 7 }],
  ]
  const failures = ({ worlds }: TestApp) => worlds.alpha.telemetry.events.filter(({ name }) => name === 'work.failed')

  it('is tried as often as host.json says', () => {
    const { extensions } = JSON.parse(readFileSync(join(repositoryRoot, 'host.json'), 'utf8')) as Host
    expect(MOST_TRIES).toBe(extensions.queues.maxDequeueCount)
  })

  it.each(UNREADABLE)(
    'since its message of %s cannot be read says the field, and the last try ends the message',
    async (queue, path, message) => {
      const app = createTestApp()
      for (let tries = 1; tries < MOST_TRIES; tries++)
        await expect(app.run(queue, message, { dequeueCount: tries })).rejects.toMatchObject({ problem: { code: 'INPUT.INVALID', path } })
      expect(failures(app)).toEqual([])
      await app.run(queue, message, { dequeueCount: MOST_TRIES })
      expect(failures(app)).toMatchObject([{ fields: { key: `message/${queue}`, errorCode: 'INPUT.INVALID' } }])
      expect(app.worlds.alpha.journal.entries).toEqual([])
    },
  )

  it('on a claim is told on the claim, by the cause', async () => {
    const app = createTestApp()
    const { objects, telemetry } = app.worlds.alpha
    objects.put('nodeClass', nodeClass())
    objects.put('nodePool', nodePool())
    objects.put('nodeClaim', nodeClaim({ stage: 'created', meta: { createdAt: NOW } }))
    const away = problem('STORE.UNAVAILABLE', 'storage is away')
    app.worlds.alpha.failCall('offerings.unavailable', 1, { when: 'before', how: 'fault', problem: away })
    await app.run('nodeclaim', step('alpha', 'default-aaaaa'), { dequeueCount: MOST_TRIES })
    expect(objects.all('nodeClaim')[0]?.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Launched', status: 'Unknown', message: expect.stringContaining('storage is away') }),
    )
    expect(objects.events).toMatchObject([{ event: { type: 'Warning', reason: 'LaunchFailed' } }])
    expect(telemetry.events.map(({ name }) => name)).toContain('nodeclaim.failed')
    expect(failures(app)).toMatchObject([{ fields: { cluster: 'alpha', key: 'claim/default-aaaaa', errorCode: 'STORE.UNAVAILABLE' } }])
  })

  it('on the decisions of a cluster counts for them, also if a bug is the cause', async () => {
    for (const [failed, errorCode] of [
      [new Fault('save', problem('STORE.UNAVAILABLE', 'storage is away')), 'STORE.UNAVAILABLE'],
      [new TypeError('no such member'), 'INTERNAL.FAILED'],
    ] as const) {
      const app = createTestApp()
      Object.assign(app.worlds.alpha.ports.lease, { acquire: () => Promise.reject(failed) })
      await expect(app.run('reconcile', doorbell('alpha'), { dequeueCount: 1 })).rejects.toBe(failed)
      await app.run('reconcile', doorbell('alpha'), { dequeueCount: MOST_TRIES })
      expect(failures(app)).toMatchObject([{ fields: { cluster: 'alpha', key: 'decide', errorCode } }])
      expect(warnings(app)).toContainEqual(
        expect.objectContaining({ message: expect.stringMatching(/^work on decide failed at every try: /) }),
      )
    }
  })
})

type Host = { readonly extensions: { readonly queues: { readonly maxDequeueCount: number } } }
