import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryWorld, type MemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { settle } from '../../base/concurrency.ts'
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

describe('records that this process has appended', () => {
  /** A loaded reader, and the number of times that it has read the log. */
  async function loaded() {
    const world = newWorld()
    const { log } = world.ports
    let reads = 0
    const reader = createClusterReader({ ...log, read: (from, signal) => log.read(from, signal).finally(() => void reads++) })
    await log.append(part(1, 1, 1), NEVER)
    await reader.catchUp(START, NEVER)
    reader.hasSeen('first')
    const post = async (record: LogRecord) => reader.receive(record, await log.append(record, NEVER))
    const caughtUp = async (known?: string) => {
      const before = reads
      const { state, records } = await reader.catchUp(START, NEVER, known)
      const names = state.list('namespace').map(({ name }) => name)
      return { names: names.sort(), records, reads: reads - before }
    }
    return { world, log, reader, post, caughtUp }
  }

  it('are applied without a read, in whatever order their answers came', async () => {
    const { log, reader, post, caughtUp } = await loaded()
    await post(changes(namespace(2, 'a')))
    expect(await caughtUp('first')).toEqual({ names: ['a'], records: 1, reads: 0 })
    const [third, fourth] = [changes(namespace(3, 'b')), changes(namespace(4, 'c'))]
    const [ofThird, ofFourth] = [await log.append(third, NEVER), await log.append(fourth, NEVER)]
    reader.receive(fourth, ofFourth)
    reader.receive(third, ofThird)
    expect(await caughtUp('first')).toEqual({ names: ['a', 'b', 'c'], records: 2, reads: 0 })
    expect(await caughtUp('first')).toEqual({ names: ['a', 'b', 'c'], records: 0, reads: 0 })
  })

  it('are read where another process has appended between, and only once', async () => {
    const { log, post, caughtUp } = await loaded()
    await log.append(changes(namespace(2, 'of another')), NEVER)
    await post(changes(namespace(3, 'own')))
    expect(await caughtUp('first')).toEqual({ names: ['of another', 'own'], records: 2, reads: 1 })
    await post(changes(namespace(4, 'next')))
    expect(await caughtUp('first')).toMatchObject({ records: 1, reads: 0 })
  })

  it('are read with the rest of the log while another process has decided, and without a version', async () => {
    const { log, reader, post, caughtUp } = await loaded()
    for (const known of ['second', undefined]) {
      await post(changes(namespace(2, 'own')))
      await log.append(changes(namespace(3, 'of another')), NEVER)
      expect(await caughtUp(known)).toMatchObject({ names: ['of another', 'own'], reads: 1 })
    }
    reader.hasSeen('second')
    await post(changes(namespace(4, 'z')))
    expect(await caughtUp('second')).toMatchObject({ names: ['of another', 'own', 'z'], reads: 0 })
  })

  it('are read after an append whose answer was lost', async () => {
    const { world, post, caughtUp } = await loaded()
    world.failCall('log.append', 1, { when: 'after', how: 'fault' })
    await expect(post(changes(namespace(2, 'a')))).rejects.toThrow('log.append')
    await post(changes(namespace(2, 'a'), namespace(3, 'b')))
    expect(await caughtUp('first')).toEqual({ names: ['a', 'b'], records: 2, reads: 1 })
  })

  it('begin anew with the checkpoint if the log was compacted and removed meanwhile', async () => {
    const world = createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test'), rotateRecords: 1 })
    const { log } = world.ports
    const [reader, other] = [createClusterReader(log), createClusterReader(log)]
    await log.append(part(1, 1, 1), NEVER)
    await reader.catchUp(START, NEVER)
    reader.hasSeen('first')
    await log.append(changes(namespace(2, 'a')), NEVER)
    const { state, position } = await other.catchUp(START, NEVER)
    await log.saveCheckpoint(state.compact(position), NEVER)
    await log.rotate(NEVER)
    const record = changes(namespace(3, 'b'))
    reader.receive(record, await log.append(record, NEVER))
    const caughtUp = await reader.catchUp(START, NEVER, 'first')
    expect(caughtUp.state.list('namespace').map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('are not kept without end by a process that does not decide, and a forgotten cluster is loaded again', async () => {
    const { reader, post, caughtUp } = await loaded()
    for (let seq = 2; seq <= 4; seq++) await post(changes(namespace(seq, `n${seq}`, 5 * MIB)))
    expect(await caughtUp('first')).toMatchObject({ records: 3, reads: 1 })
    await post(changes(namespace(5, 'n5')))
    expect(await caughtUp('first')).toMatchObject({ records: 1, reads: 0 })
    reader.forget()
    await post(changes(namespace(6, 'n6')))
    expect(await caughtUp('first')).toMatchObject({ names: ['n2', 'n3', 'n4', 'n5', 'n6'], reads: 1 })
  })

  it('are read after a read that failed, whether it was made for them or for another process', async () => {
    for (const bytes of [5 * MIB, 0]) {
      const { world, log, post, caughtUp } = await loaded()
      for (let seq = 2; seq <= 4; seq++) await post(changes(namespace(seq, `n${seq}`, bytes)))
      await log.append(changes(namespace(5, 'of another')), NEVER)
      world.failCall('log.read', 1)
      await expect(caughtUp(bytes > 0 ? 'first' : undefined)).rejects.toThrow('log.read')
      expect(await caughtUp('first')).toMatchObject({ names: ['n2', 'n3', 'n4', 'of another'], reads: 1 })
    }
  })

  it('are completed from the log before the shim is asked for what another process has appended elsewhere', async () => {
    const { log, reader } = await loaded()
    await log.append(changes(namespace(2, 'of another')), NEVER)
    const record = changes(namespace(3, 'own'))
    const { bytes } = await log.append(record, NEVER)
    let isSeen = false
    // As after a rotation: the other record is in an older generation, so nothing is between the reader and its own record.
    reader.receive(record, { bytes, seenFrom: (from) => (isSeen ? { is: 'past' } : ((isSeen = true), { is: 'next', position: from })) })
    const { state, missing } = await reader.catchUp(epochMs(START + 60_000), NEVER, 'first')
    expect({
      names: state
        .list('namespace')
        .map(({ name }) => name)
        .sort(),
      missing,
    }).toEqual({
      names: ['of another', 'own'],
      missing: undefined,
    })
    expect(await log.snapshotRequest(NEVER)).toBeUndefined()
  })

  it('are each looked at a fixed number of times, however many wait', async () => {
    const { log, reader, caughtUp } = await loaded()
    const count = 500
    let looks = 0
    for (let seq = 2; seq < 2 + count; seq++) {
      const record = changes(namespace(seq, 'a'))
      const { bytes, seenFrom } = await log.append(record, NEVER)
      reader.receive(record, { bytes, seenFrom: (from) => (looks++, seenFrom(from)) })
    }
    expect(await caughtUp('first')).toMatchObject({ records: count, reads: 0 })
    expect(looks).toBeLessThanOrEqual(2 * count)
  })

  it('are in each state, and those of other processes in each state of a whole read, whatever fails between', async () => {
    const heavy = fc.constantFrom('own', 'large', 'large', 'read fails', 'catchUp')
    const step = fc.oneof(heavy, fc.constantFrom('lost answer', 'of another', 'forget', 'read'))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { world, log, reader, post, caughtUp } = await loaded()
        const [own, all]: string[][] = [[], []]
        let seq = 1
        for (const each of [...steps, 'catchUp', 'read']) {
          const name = `n${++seq}`
          const record = changes(namespace(seq, name, each === 'large' ? 5 * MIB : 0))
          if (each === 'own' || each === 'large') await post(record).then(() => own?.push(name))
          else if (each === 'of another') await log.append(record, NEVER)
          else if (each === 'lost answer') {
            world.failCall('log.append', 1, { when: 'after', how: 'fault' })
            await expect(post(record)).rejects.toThrow('log.append')
          } else seq--
          if (record.body.changes[0]?.seq === seq) all?.push(name)
          if (each === 'forget') reader.forget()
          if (each === 'read fails') {
            world.failCall('log.read', 1)
            await settle(() => caughtUp())
          }
          if (each === 'catchUp') expect((await caughtUp('first')).names).toEqual(expect.arrayContaining(own ?? []))
          if (each === 'read') expect((await caughtUp()).names).toEqual([...(all ?? [])].sort())
          if (each === 'catchUp' || each === 'read') reader.hasSeen('first')
        }
      }),
      { numRuns: 200 },
    )
  })
})
