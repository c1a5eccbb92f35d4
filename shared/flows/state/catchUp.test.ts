import { describe, expect, it } from 'vitest'
import { createMemoryWorld, type MemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { Change } from '../../model/change.ts'
import { clusterId, uid } from '../../model/ids.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { LogRecord } from '../../ports/clusterLog.ts'
import { type ClusterReader, createClusterReader } from './catchUp.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)
const MIB = 1024 * 1024

function newWorld(readRecords?: number): MemoryWorld {
  const options = readRecords === undefined ? {} : { readRecords }
  return createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test'), ...options })
}

const namespace = (seq: number, name: string, bytes = 0): Change => ({
  seq,
  at: START,
  op: 'put',
  kind: 'namespace',
  key: name,
  object: { name, uid: uid(name), labels: { filler: 'x'.repeat(bytes) } },
})
const changes = (...list: readonly Change[]): LogRecord => ({ term: 1, receivedAt: START, body: { kind: 'changes', changes: list } })
const part = (seq: number, number: number, parts: number, ...list: readonly Change[]): LogRecord => ({
  term: 1,
  receivedAt: START,
  body: { kind: 'snapshot', seq, part: number, parts, changes: list },
})

describe('the question for everything', () => {
  const LATE: EpochMs = epochMs(START + 60_000)

  /** A world where a process saw a gap, asked for a snapshot, and died. */
  async function askedByTheDead(): Promise<MemoryWorld> {
    const world = newWorld()
    const { log } = world.ports
    await log.append(part(1, 1, 1), NEVER)
    await log.append(changes(namespace(3, 'c')), NEVER)
    const { missing } = await createClusterReader(log).catchUp(LATE, NEVER)
    expect(missing).toBe('change 2 of term 1 never came')
    expect(await log.snapshotRequest(NEVER)).toBe(missing)
    return world
  }

  it('is taken back by a process that begins after the one that asked has died', async () => {
    const { log } = (await askedByTheDead()).ports
    await log.append(part(4, 1, 1, namespace(4, 'c')), NEVER)
    expect((await createClusterReader(log).catchUp(LATE, NEVER)).missing).toBeUndefined()
    expect(await log.snapshotRequest(NEVER)).toBeUndefined()
  })

  it('is taken back by a process that was there all the time and never asked', async () => {
    const world = newWorld()
    const { log } = world.ports
    const bystander = createClusterReader(log)
    await log.append(part(1, 1, 1), NEVER)
    await bystander.catchUp(LATE, NEVER)
    await log.requestSnapshot('asked by a process that dies', NEVER)
    await log.append(part(2, 1, 1), NEVER)
    await bystander.catchUp(LATE, NEVER)
    expect(await log.snapshotRequest(NEVER)).toBeUndefined()
  })

  it('stands while the picture has a hole', async () => {
    const { log } = (await askedByTheDead()).ports
    await createClusterReader(log).catchUp(LATE, NEVER)
    expect(await log.snapshotRequest(NEVER)).toBe('change 2 of term 1 never came')
  })

  it('costs a process one look, and no write, while nobody asks', async () => {
    const world = newWorld()
    const { log } = world.ports
    let looks = 0
    const counted = { ...log, snapshotRequest: (signal: typeof NEVER) => (looks++, log.snapshotRequest(signal)) }
    const reader = createClusterReader(counted)
    await log.append(part(1, 1, 1), NEVER)
    const writes = world.journal.tried()
    for (let seq = 2; seq < 20; seq++) {
      await log.append(changes(namespace(seq, 'a')), NEVER)
      await reader.catchUp(LATE, NEVER)
    }
    expect({ looks, writes: world.journal.tried() - writes }).toEqual({ looks: 1, writes: 18 })
  })

  it('does not keep the picture from being used when it cannot be taken back now', async () => {
    const world = await askedByTheDead()
    const { log } = world.ports
    await log.append(part(4, 1, 1, namespace(4, 'c')), NEVER)
    const reader = createClusterReader(log)
    world.failCall('log.requestSnapshot', 1)
    expect(await reader.catchUp(LATE, NEVER)).toMatchObject({ trouble: { code: 'STORE.UNAVAILABLE' } })
    await reader.catchUp(LATE, NEVER)
    expect(await log.snapshotRequest(NEVER)).toBeUndefined()
  })
})

describe('reading', () => {
  it('goes on until the end of the log, part by part', async () => {
    const world = newWorld(2)
    const { log } = world.ports
    await log.append(part(1, 1, 1), NEVER)
    for (let seq = 2; seq <= 8; seq++) await log.append(changes(namespace(seq, `n${seq}`)), NEVER)
    const { state, records } = await createClusterReader(log).catchUp(START, NEVER)
    expect(records).toBe(8)
    expect(state.objects().namespace).toHaveLength(7)
  })
})

describe('compaction', () => {
  async function fill(world: MemoryWorld, reader: ClusterReader, records: number, bytes: number, from = 2): Promise<void> {
    for (let seq = from; seq < from + records; seq++) await world.ports.log.append(changes(namespace(seq, 'a', bytes)), NEVER)
    await reader.catchUp(START, NEVER)
  }

  it.each([
    ['many small records', 2_000, 0],
    ['few large ones', 64, MIB],
  ])('is due after %s', async (_, records, bytes) => {
    const world = newWorld()
    const reader = createClusterReader(world.ports.log)
    await world.ports.log.append(part(1, 1, 1), NEVER)
    await fill(world, reader, records / 2, bytes)
    expect(await reader.compactIfDue(NEVER)).toBe(false)
    await fill(world, reader, records / 2, bytes, 2 + records / 2)
    expect(await reader.compactIfDue(NEVER)).toBe(true)
    expect(await reader.compactIfDue(NEVER)).toBe(false)
    expect((await world.ports.log.loadCheckpoint(NEVER))?.complete.seq).toBe(1 + records)
  })

  it('waits for the other parts of a snapshot, but not for ever', async () => {
    const world = newWorld()
    const { log } = world.ports
    const reader = createClusterReader(log)
    await log.append(part(1, 1, 2, namespace(1, 'a')), NEVER)
    await fill(world, reader, 64, MIB)
    expect(await reader.compactIfDue(NEVER)).toBe(false)
    await log.append(part(1, 2, 2, namespace(1, 'b')), NEVER)
    await reader.catchUp(START, NEVER)
    expect(await reader.compactIfDue(NEVER)).toBe(true)
    const next = await createClusterReader(log).catchUp(START, NEVER)
    expect(next.state.objects().namespace.map(({ name }) => name)).toEqual(['a', 'b'])

    await log.append(part(66, 1, 2), NEVER)
    await fill(world, reader, 8_000, 0, 67)
    expect(await reader.compactIfDue(NEVER)).toBe(true)
  })

  it('that fails is tried again, but not at every look', async () => {
    const world = newWorld()
    const reader = createClusterReader(world.ports.log)
    await world.ports.log.append(part(1, 1, 1), NEVER)
    await fill(world, reader, 5_000, 0)
    world.failCall('log.saveCheckpoint', 1)
    await expect(reader.compactIfDue(NEVER)).rejects.toThrow('log.saveCheckpoint')
    expect(await reader.compactIfDue(NEVER)).toBe(false)
    await fill(world, reader, 250, 0, 6_000)
    expect(await reader.compactIfDue(NEVER)).toBe(true)
  })
})
