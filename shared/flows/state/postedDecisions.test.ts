import { describe, expect, it } from 'vitest'
import { ago, NOW, SECOND } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { DAEMON_SET, type PodShape, pod, REPLICA_SET, STATEFUL_SET } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { Change } from '../../model/change.ts'
import { clusterId } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import { problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { DecideRequest } from '../../model/work.ts'
import { type EventBatch, ingestEvents } from './ingestEvents.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')

const putPod = (object: Pod, at: EpochMs = NOW): Change => ({ seq: 1, at, key: object.key, op: 'put', kind: 'pod', object })
const put = (shape: PodShape, at?: EpochMs): Change => putPod(pod(shape), at)
/** A change of a pod that the scheduler has not looked at. */
function unseen(shape: PodShape = {}): Change {
  const { unschedulableSince: _, ...rest } = pod(shape)
  return putPod(rest)
}

async function post(changes: readonly Change[], more: Partial<EventBatch> = {}) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
  const batch: EventBatch = { term: 3, body: { kind: 'changes', changes }, unreadable: [], ...more }
  const result = await ingestEvents({ ...world.ports, settings: settings() }, CLUSTER, batch, NEVER)
  const [request] = world.work.flatMap((each): readonly DecideRequest[] => ('eventAt' in each ? [each] : []))
  const { records } = await world.ports.log.read(undefined, NEVER)
  return { world, result, request: request ?? expect.fail('no decision is asked for'), records }
}

describe('the decision that a post asks for', () => {
  it('is as old as the earliest change, and that age is measured', async () => {
    const { request, world } = await post([put({ name: 'a' }, ago(SECOND)), put({ name: 'b' }, ago(3 * SECOND)), put({ name: 'c' })])
    expect(request).toMatchObject({ because: 'changes', eventAt: ago(3 * SECOND), pendingPods: 3 })
    expect(world.telemetry.measures).toEqual([
      { name: 'event_to_received_ms', value: 3 * SECOND, fields: { cluster: CLUSTER, pendingPods: 3 } },
    ])
  })

  it('knows when the first and the last pod that waits came, among older changes', async () => {
    const older: Change = { seq: 1, at: ago(8 * SECOND), key: node().name, op: 'put', kind: 'node', object: node() }
    const { request } = await post([older, put({ name: 'a' }, ago(SECOND)), put({ name: 'b' }, ago(3 * SECOND))])
    expect(request).toMatchObject({ eventAt: ago(8 * SECOND), podEvents: { first: ago(3 * SECOND), last: ago(SECOND) } })
    expect((await post([older])).request.podEvents).toBeUndefined()
  })

  it('of nothing is as old as the post', async () => {
    expect((await post([])).request).toMatchObject({ eventAt: NOW, pendingPods: 0 })
  })

  it.each<[sentence: string, change: Change, pendingPods: number, isWaiting: boolean]>([
    ['the scheduler refused', put({}), 1, true],
    ['the scheduler has not looked at', unseen(), 0, true],
    ['has a node', put({ nodeName: 'n' }), 0, false],
    ['is gated', put({ schedulingGates: ['hold'] }), 0, false],
    ['is being deleted', put({ deletedAt: ago(SECOND) }), 0, false],
    ['has ended', put({ phase: 'Failed' }), 0, false],
    ['is gone', { seq: 1, at: NOW, key: 'default/pod', op: 'delete', kind: 'pod' }, 0, false],
    ['is none', { seq: 1, at: NOW, key: node().name, op: 'put', kind: 'node', object: node() }, 0, false],
  ])('counts a pod that %s as it is', async (_sentence, change, pendingPods, isWaiting) => {
    const { request } = await post([change])
    expect([request.pendingPods, request.waiting !== undefined]).toEqual([pendingPods, isWaiting])
  })

  it('names whose pods wait, each owner once, and a pod that nobody owns by itself', async () => {
    const { owner: _, ...alone } = pod({ name: 'alone' })
    const changes = [
      ...['a', 'b'].map((name) => put({ name, owner: REPLICA_SET })),
      unseen({ name: 'c', owner: STATEFUL_SET }),
      unseen({ name: 'd', owner: DAEMON_SET }),
      putPod(alone),
    ]
    expect((await post(changes)).request.waiting).toEqual({
      refused: [REPLICA_SET.uid, alone.uid],
      unseen: [STATEFUL_SET.uid, DAEMON_SET.uid],
    })
  })
})

describe('what the shim is told', () => {
  it('is how much was taken, and that everything is wanted, but not in answer to a snapshot', async () => {
    const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
    const deps = { ...world.ports, settings: settings() }
    await world.ports.log.requestSnapshot('a hole', NEVER)
    const changes = [put({})]
    const body = { kind: 'changes', changes } as const
    expect(await ingestEvents(deps, CLUSTER, { term: 1, body, unreadable: [] }, NEVER)).toEqual({ accepted: 1, sendSnapshot: 'a hole' })
    const whole = { kind: 'snapshot', seq: 1, part: 0, parts: 1, changes } as const
    expect(await ingestEvents(deps, CLUSTER, { term: 1, body: whole, unreadable: [] }, NEVER)).toEqual({ accepted: 1 })
  })
})

describe('a post that storage does not take', () => {
  it('fails once, whatever else fails beside it', async () => {
    const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
    world.failCall('log.append', 1, { when: 'before', how: 'fault' })
    world.failCall('log.snapshotRequest', 1, { when: 'before', how: 'fault' })
    const unheard: unknown[] = []
    const listen = (cause: unknown): void => void unheard.push(cause)
    process.on('unhandledRejection', listen)
    const batch: EventBatch = { term: 1, body: { kind: 'changes', changes: [put({})] }, unreadable: [] }
    await expect(ingestEvents({ ...world.ports, settings: settings() }, CLUSTER, batch, NEVER)).rejects.toThrow('log.append')
    await new Promise((resolve) => void setImmediate(resolve))
    process.off('unhandledRejection', listen)
    expect(unheard).toEqual([])
  })
})

describe('what the log keeps', () => {
  it('is the post as it came, with its term and its time', async () => {
    const changes = [put({})]
    expect((await post(changes)).records).toEqual([{ term: 3, receivedAt: NOW, body: { kind: 'changes', changes } }])
  })

  it('marks the numbers of changes that could not be read, so that they are no hole', async () => {
    const why = problem('INPUT.INVALID', 'no')
    const { records, result } = await post([put({})], { unreadable: [{ seq: 7, problem: why }] })
    const marks = records.flatMap(({ body }) => body.changes).filter(({ op }) => op === 'invalid')
    expect(marks).toMatchObject([{ seq: 7, at: NOW, op: 'invalid', problem: why }])
    expect(result.accepted).toBe(1)
  })

  it('has no such marks in a snapshot, which stands for all numbers before it', async () => {
    const body = { kind: 'snapshot', seq: 1, part: 0, parts: 1, changes: [put({})] } as const
    const { records } = await post([], { body, unreadable: [{ seq: 7, problem: problem('INPUT.INVALID', 'no') }] })
    expect(records).toEqual([{ term: 3, receivedAt: NOW, body }])
  })
})
