import { describe, expect, it } from 'vitest'
import { createMemoryWorld } from '../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../shared/adapters/memory/virtualClock.ts'
import { ingestEvents } from '../shared/flows/state/ingestEvents.ts'
import { clusterId } from '../shared/model/ids.ts'
import { Fault, problem } from '../shared/model/problem.ts'
import { durationMs } from '../shared/model/units.ts'
import type { LogRecord } from '../shared/ports/clusterLog.ts'
import { printWake } from '../shared/wire/wake.ts'
import { nodeClaim } from '../test/builders/nodeClaim.ts'
import { nodeClass } from '../test/builders/nodeClass.ts'
import { nodePool } from '../test/builders/nodePool.ts'
import { settings } from '../test/builders/snapshot.ts'
import type { ClusterRuntime } from './appDeps.ts'
import { createClusterRuntime, createClusterWork } from './clusterRuntime.ts'
import { createTestApp, NOW, type TestApp } from './testing/testApp.ts'

const SECOND = 1_000
const NEVER = new AbortController().signal
const wake = (cluster: string): unknown => JSON.parse(printWake({ cluster: clusterId(cluster) }))

function warnings(app: TestApp): readonly unknown[] {
  return app.worlds.alpha.telemetry.lines.filter((line) => line.level === 'warn' || line.level === 'error')
}

/** Puts a claim that waits for its launch into the cluster. */
function addClaim({ worlds }: TestApp): void {
  const { objects } = worlds.alpha
  objects.put('nodeClass', nodeClass())
  objects.put('nodePool', nodePool())
  objects.put('nodeClaim', nodeClaim({ stage: 'created', meta: { createdAt: NOW } }))
}

describe('a message of a process that ended', () => {
  it('makes another process find the work of its cluster, and of no other', async () => {
    const app = createTestApp({ runsUntil: NEVER })
    addClaim(app)
    await app.run('wake', wake('alpha'))
    expect(app.worlds.alpha.machines.all().map((machine) => machine.claim.name)).toEqual(['default-aaaaa'])
    expect(app.worlds.beta.journal.entries).toEqual([])
  })

  it.each([
    ['about a cluster that is not configured', wake('gamma'), 'INPUT.UNKNOWN_CLUSTER'],
    ['that cannot be read', { v: 1, cluster: 7 }, 'INPUT.INVALID'],
    ['of a later version', { v: 2, cluster: 'alpha' }, 'INPUT.UNSUPPORTED_VERSION'],
  ])('%s is done, and says so', async (_sentence, message, code) => {
    const app = createTestApp()
    await app.run('wake', message)
    expect(warnings(app)).toMatchObject([{ fields: { code } }])
  })

  it('is done if the work cannot be found, since the timer finds it, too', async () => {
    const app = createTestApp()
    app.worlds.alpha.failCall('api.listClaims', 1, { when: 'before', how: 'fault' })
    await app.run('wake', wake('alpha'))
    expect(warnings(app)).toMatchObject([{ message: expect.stringContaining('left to the timer') }])
  })
})

describe('an invocation that began before the facts of its cluster changed', () => {
  it('hands its post to what decides now', async () => {
    const clock = createVirtualClock(NOW)
    const { ports, cluster } = createMemoryWorld({ clock, cluster: clusterId('alpha') })
    const work = createClusterWork(cluster, { clock, batch: { idle: durationMs(0), max: durationMs(0) } })
    const build = () => createClusterRuntime({ deps: { ...ports, settings: settings() }, work, instancePrefix: '' })
    const post = ({ deps, reader }: ClusterRuntime, body: LogRecord['body']) =>
      ingestEvents({ ...deps, reader }, cluster, { term: 1, body, unreadable: [] }, NEVER)
    const before = build()
    await post(before, { kind: 'snapshot', seq: 1, part: 1, parts: 1, changes: [] })
    const { reader } = build()
    await reader.catchUp(NOW, NEVER)
    reader.hasSeen('decided')
    await post(before, { kind: 'changes', changes: [{ seq: 2, at: NOW, op: 'put', kind: 'nodePool', key: 'late', object: nodePool() }] })
    const { state } = await reader.catchUp(NOW, NEVER, 'decided')
    expect(state.list('nodePool')).toHaveLength(1)
  })
})

describe('a process that ends', () => {
  /** A process whose claim was launched, and waits for its node. */
  async function ending(options: { readonly isIdle?: boolean } = {}) {
    const over = new AbortController()
    const leaving: Promise<unknown>[] = []
    const app = createTestApp({ runsUntil: over.signal, handedOver: (each) => void leaving.push(each) })
    if (options.isIdle !== true) {
      addClaim(app)
      await app.run('wake', wake('alpha'))
    }
    over.abort()
    await app.worlds.alpha.clock.advance(SECOND)
    await Promise.all(leaving)
    return app
  }

  it('leaves one message for each cluster with work, and begins no more work', async () => {
    const app = await ending()
    expect(app.worlds.alpha.wakes.map(({ cluster }) => cluster)).toEqual(['alpha'])
    const before = app.worlds.alpha.journal.entries.length
    await app.worlds.alpha.clock.advance(120 * SECOND)
    expect(app.worlds.alpha.journal.entries.length).toBe(before)
  })

  it('leaves nothing for a cluster without work', async () => {
    expect((await ending({ isIdle: true })).worlds.alpha.wakes).toEqual([])
  })
})

describe('work that fails', () => {
  const failures = ({ worlds }: TestApp) => worlds.alpha.telemetry.events.filter(({ name }) => name === 'work.failed')

  /** Runs the app under cover for a while. */
  async function play(app: TestApp, forMs: number): Promise<void> {
    app.covers.alpha.allow()
    void app.run('wake', wake('alpha'))
    for (let at = 0; at < forMs; at += SECOND) {
      app.covers.alpha.allow()
      await app.worlds.alpha.clock.advance(SECOND)
    }
  }

  it('for half a minute on a claim is told on the claim, by the cause', async () => {
    const app = createTestApp({ runsUntil: NEVER })
    addClaim(app)
    const away = problem('STORE.UNAVAILABLE', 'storage is away')
    Object.assign(app.worlds.alpha.ports.offerings, { unavailable: () => Promise.reject(new Fault('read', away)) })
    await play(app, 30 * SECOND)
    expect(failures(app).filter(({ fields }) => fields['key'] !== 'decide')).toEqual([])
    await play(app, 5 * SECOND)
    const { objects, telemetry } = app.worlds.alpha
    expect(objects.all('nodeClaim')[0]?.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Launched', status: 'Unknown', message: expect.stringContaining('storage is away') }),
    )
    expect(objects.events).toContainEqual(expect.objectContaining({ event: expect.objectContaining({ reason: 'LaunchFailed' }) }))
    expect(telemetry.events.map(({ name }) => name)).toContain('nodeclaim.failed')
    expect(failures(app)).toContainEqual(
      expect.objectContaining({ fields: { cluster: 'alpha', key: 'claim/default-aaaaa', errorCode: 'STORE.UNAVAILABLE' } }),
    )
  })

  it.each([
    ['a Fault', new Fault('save', problem('STORE.UNAVAILABLE', 'storage is away')), 'STORE.UNAVAILABLE'],
    ['a bug', new TypeError('no such member'), 'INTERNAL.FAILED'],
  ])('on the decisions of a cluster counts for them: %s', async (_sentence, failed, errorCode) => {
    const app = createTestApp({ runsUntil: NEVER })
    await app.worlds.alpha.ports.log.append({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes: [] } }, NEVER)
    Object.assign(app.worlds.alpha.ports.lease, { acquire: () => Promise.reject(failed) })
    await play(app, 35 * SECOND)
    expect(failures(app)).toContainEqual(expect.objectContaining({ fields: { cluster: 'alpha', key: 'decide', errorCode } }))
    expect(warnings(app)).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/^work on decide failed at every try: /) }),
    )
  })
})
