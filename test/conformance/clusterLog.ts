import { describe, expect, it } from 'vitest'
import type { Change } from '../../shared/model/change.ts'
import { acquiredAfter, termOf } from '../../shared/model/term.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { Checkpoint, ClusterLog, LogPosition, LogRecord } from '../../shared/ports/clusterLog.ts'
import { NOW } from '../builders/clock.ts'
import { node } from '../builders/node.ts'
import { pod } from '../builders/pod.ts'
import { abortedSignal, type Closing, faultCodeOf, fresh, SIGNAL } from './harness.ts'

export type ClusterLogHarness = Closing & {
  /** A log that rotates after at most `ROTATE_AFTER` records of `record(n)`, and after more than one. */
  readonly log: ClusterLog
  /** The same log, as another process sees it. */
  readonly other: ClusterLog
}

export const ROTATE_AFTER = 10

/** The n-th batch of a shim, with one pod. */
export function record(n: number): LogRecord {
  const object = pod({ name: `pod-${n}` })
  const change: Change = { op: 'put', kind: 'pod', key: object.key, object, seq: n, at: NOW }
  return { term: 1, receivedAt: epochMs(NOW + n), body: { kind: 'changes', changes: [change] } }
}

function compactAt(position: LogPosition, seq: number): Checkpoint {
  const version = { term: 1, seq }
  const object = node({ name: 'kept' })
  return {
    position,
    floor: version,
    complete: version,
    entries: [{ version, change: { op: 'put', kind: 'node', key: object.name, object, seq, at: NOW } }],
  }
}

const seqsOf = ({ records }: { readonly records: readonly LogRecord[] }): readonly number[] =>
  records.flatMap(({ body }) => body.changes.map((change) => change.seq))

export function describeClusterLog(name: string, make: () => Promise<ClusterLogHarness> | ClusterLogHarness): void {
  describe(`${name} as a cluster log`, () => {
    it('is empty at first, and its position can be read from', async () => {
      const { log } = await fresh(make)
      const { records, position } = await log.read(undefined, SIGNAL)
      expect(records).toEqual([])
      await log.append(record(1), SIGNAL)
      expect(seqsOf(await log.read(position, SIGNAL))).toEqual([1])
    })

    it('gives records back whole, in the order they came', async () => {
      const { log, other } = await fresh(make)
      const snapshot: LogRecord = { term: 2, receivedAt: NOW, body: { kind: 'snapshot', seq: 1, part: 1, parts: 2, changes: [] } }
      const gone: LogRecord = {
        term: 2,
        receivedAt: NOW,
        body: { kind: 'changes', changes: [{ op: 'delete', kind: 'pod', key: 'default/a', seq: 2, at: NOW }] },
      }
      for (const each of [record(1), snapshot, gone]) await log.append(each, SIGNAL)
      expect((await other.read(undefined, SIGNAL)).records).toEqual([record(1), snapshot, gone])
    })

    it('goes on from a position, in any process', async () => {
      const { log, other } = await fresh(make)
      await log.append(record(1), SIGNAL)
      const { position } = await log.read(undefined, SIGNAL)
      expect((await other.read(position, SIGNAL)).records).toEqual([])
      await other.append(record(2), SIGNAL)
      await log.append(record(3), SIGNAL)
      expect(seqsOf(await other.read(position, SIGNAL))).toEqual([2, 3])
    })

    it('says of an appended record whether a reader has read it, reads it next, or lacks something before it', async () => {
      const { log, other } = await fresh(make)
      await log.append(record(1), SIGNAL)
      const { position: start } = await log.read(undefined, SIGNAL)
      const [second, ofOther] = [await log.append(record(2), SIGNAL), await other.append(record(3), SIGNAL)]
      const fourth = await log.append(record(4), SIGNAL)
      expect([ofOther.seenFrom(start), fourth.seenFrom(start)]).toEqual([{ is: 'beyond' }, { is: 'beyond' }])
      let position = start
      for (const [appended, rest] of [
        [second, [3, 4]],
        [ofOther, [4]],
        [fourth, []],
      ] as const) {
        const sight = appended.seenFrom(position)
        if (sight.is !== 'next') expect.fail(`the record is ${sight.is}`)
        ;({ position } = sight)
        expect(seqsOf(await log.read(position, SIGNAL))).toEqual(rest)
        expect(appended.seenFrom(position)).toEqual({ is: 'past' })
      }
      expect(position).toBe((await log.read(undefined, SIGNAL)).position)
      expect((await log.read(start, SIGNAL)).bytes).toBe(second.bytes + ofOther.bytes + fourth.bytes)
    })

    it('keeps doubled and reordered records', async () => {
      const { log } = await fresh(make)
      for (const n of [2, 1, 2]) await log.append(record(n), SIGNAL)
      expect(seqsOf(await log.read(undefined, SIGNAL))).toEqual([2, 1, 2])
    })

    it('refuses a record of a term that is over, and says which one has begun', async () => {
      const { log, other } = await fresh(make)
      const of = (term: number, n: number): LogRecord => ({ ...record(n), term })
      await log.append(of(7, 1), SIGNAL)
      const late = await other.append(of(6, 2), SIGNAL).catch((cause: unknown) => cause)
      expect(late).toMatchObject({ problem: { code: 'INPUT.OLD_TERM', fields: { term: 6, newestTerm: 7 } } })
      for (const term of [7, 8, 8]) await other.append(of(term, 3), SIGNAL)
      expect(await faultCodeOf(other.append(of(7, 4), SIGNAL))).toBe('INPUT.OLD_TERM')
      expect(await faultCodeOf(other.checkTerm({ term: 7, receivedAt: NOW }, SIGNAL))).toBe('INPUT.OLD_TERM')
      for (const term of [8, 9]) await log.checkTerm({ term, receivedAt: NOW }, SIGNAL)
      expect(seqsOf(await log.read(undefined, SIGNAL))).toEqual([1, 3, 3, 3])
    })

    it('takes no term that would leave none to the leaders after it', async () => {
      const { log, other } = await fresh(make)
      const of = (term: number): LogRecord => ({ ...record(1), term })
      const newest = termOf({ acquiredAt: NOW, transitions: 0 })
      for (const before of [undefined, newest]) {
        if (before !== undefined) await log.append(of(before), SIGNAL)
        expect(await faultCodeOf(log.append(of(Number.MAX_SAFE_INTEGER), SIGNAL))).toBe('INPUT.INVALID')
      }
      const next = termOf({ acquiredAt: acquiredAfter(newest), transitions: 1 })
      await other.append(of(next), SIGNAL)
      expect((await log.read(undefined, SIGNAL)).records.map(({ term }) => term)).toEqual([newest, next])
    })

    it('loses nothing of writers at once', async () => {
      const { log, other } = await fresh(make)
      const numbers = Array.from({ length: 8 }, (_, index) => index + 1)
      await Promise.all(numbers.map((n) => (n % 2 === 0 ? log : other).append(record(n), SIGNAL)))
      expect([...seqsOf(await log.read(undefined, SIGNAL))].sort((first, second) => first - second)).toEqual(numbers)
    })

    it('does not rotate while it is small', async () => {
      const { log } = await fresh(make)
      await log.append(record(1), SIGNAL)
      const { position } = await log.read(undefined, SIGNAL)
      await log.saveCheckpoint(compactAt(position, 1), SIGNAL)
      await log.rotate(SIGNAL)
      expect(seqsOf(await log.read(undefined, SIGNAL))).toEqual([1])
    })

    it('loses nothing by rotation to a reader of the checkpoint', async () => {
      const { log, other } = await fresh(make)
      const { position: start } = await log.read(undefined, SIGNAL)
      for (let n = 1; n <= ROTATE_AFTER; n++) await log.append(record(n), SIGNAL)
      await log.rotate(SIGNAL)
      expect(seqsOf(await other.read(start, SIGNAL))).toHaveLength(ROTATE_AFTER)
      await log.append(record(ROTATE_AFTER + 1), SIGNAL)
      const { position } = await other.read(start, SIGNAL)
      await other.saveCheckpoint(compactAt(position, ROTATE_AFTER + 1), SIGNAL)
      await log.rotate(SIGNAL)
      await log.append(record(ROTATE_AFTER + 2), SIGNAL)
      const compact = await log.loadCheckpoint(SIGNAL)
      expect(seqsOf(await log.read(compact?.position, SIGNAL))).toEqual([ROTATE_AFTER + 2])
    })

    it('tells a reader who missed something', async () => {
      const { log } = await fresh(make)
      const { position: start } = await log.read(undefined, SIGNAL)
      // A log may keep more old generations than it must. No implementation keeps three.
      for (let generation = 0, position = start; generation < 3; generation++) {
        for (let n = 1; n <= ROTATE_AFTER; n++) await log.append(record(generation * ROTATE_AFTER + n), SIGNAL)
        position = (await log.read(position, SIGNAL)).position
        await log.saveCheckpoint(compactAt(position, (generation + 1) * ROTATE_AFTER), SIGNAL)
        await log.rotate(SIGNAL)
      }
      expect(await faultCodeOf(log.read(start, SIGNAL))).toBe('STORE.LOG_GAP')
    })

    it('does not take a position that no log made', async () => {
      const { log } = await fresh(make)
      expect(await faultCodeOf(log.read('somewhere', SIGNAL))).toBe('STORE.LOG_GAP')
    })

    it('ends with the reason of an aborted signal, and appends nothing', async () => {
      const { log } = await fresh(make)
      await expect(log.append(record(1), abortedSignal('enough'))).rejects.toBe('enough')
      expect((await log.read(undefined, SIGNAL)).records).toEqual([])
    })
  })

  describe(`the checkpoint of ${name}`, () => {
    it('is not there at first', async () => {
      const { log } = await fresh(make)
      expect(await log.loadCheckpoint(SIGNAL)).toBeUndefined()
    })

    it('is the newest one saved, whole, whoever comes late', async () => {
      const { log, other } = await fresh(make)
      await log.append(record(1), SIGNAL)
      const early = await log.read(undefined, SIGNAL)
      await log.append(record(2), SIGNAL)
      const late = await log.read(undefined, SIGNAL)
      await log.saveCheckpoint(compactAt(late.position, 2), SIGNAL)
      await other.saveCheckpoint(compactAt(early.position, 1), SIGNAL)
      expect(await other.loadCheckpoint(SIGNAL)).toEqual(compactAt(late.position, 2))
    })
  })

  describe(`the wish for a snapshot of ${name}`, () => {
    it('is there until taken back', async () => {
      const { log, other } = await fresh(make)
      expect(await log.snapshotRequest(SIGNAL)).toBeUndefined()
      await log.requestSnapshot('a hole', SIGNAL)
      expect(await other.snapshotRequest(SIGNAL)).toBe('a hole')
      await other.requestSnapshot(undefined, SIGNAL)
      await other.requestSnapshot(undefined, SIGNAL)
      expect(await log.snapshotRequest(SIGNAL)).toBeUndefined()
    })
  })
}
