import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Storage, startStorage } from '../../../local/storage/startStorage.ts'
import { createClusterReader } from '../../flows/state/catchUp.ts'
import { type ClusterId, clusterId, uid } from '../../model/ids.ts'
import { epochMs } from '../../model/units.ts'
import type { Checkpoint, ClusterLog, LogPosition, LogRecord } from '../../ports/clusterLog.ts'
import { printLogRecord } from '../../wire/logRecord.ts'
import { createSystemClock } from '../system/systemClock.ts'
import { createClusterLog } from './clusterLog.ts'
import { createStorageClients, prepareStorage, type StorageClients } from './storageClients.ts'

const signal = new AbortController().signal

let storage: Storage
let clients: StorageClients
let complaints: string[] = []
let clusters = 0
beforeAll(async () => {
  storage = await startStorage()
  clients = createStorageClients({ kind: 'connectionString', connectionString: storage.connectionString })
  await prepareStorage(clients, signal, [])
})
afterAll(() => storage.close())

const complain = (message: string) => void complaints.push(message)
const QUIET = {
  clock: createSystemClock(),
  telemetry: {
    debug: complain,
    info: complain,
    warn: complain,
    error: complain,
    measure: () => undefined,
    event: () => undefined,
    span: () => undefined,
  },
}

/** The log in another instance of the app. */
function logOf(cluster: ClusterId, rotateBytes = 1): ClusterLog {
  return createClusterLog(clients.container, cluster, { ...QUIET, rotateBytes })
}

function newCluster(): ClusterId {
  complaints = []
  return clusterId(`log-${++clusters}`)
}

function record(seq: number, key = 'x'): LogRecord {
  return {
    term: 1,
    receivedAt: epochMs(seq),
    body: { kind: 'changes', changes: [{ op: 'delete', kind: 'pod', seq, at: epochMs(1), key }] },
  }
}

function compact(position: LogPosition, seq: number): Checkpoint {
  return { position, floor: { term: 1, seq: 0 }, complete: { term: 1, seq }, entries: [] }
}

async function seqs(log: ClusterLog, from: LogPosition | undefined): Promise<{ seqs: number[]; position: LogPosition }> {
  const { position, records } = await log.read(from, signal)
  return { seqs: records.flatMap(({ body }) => body.changes.map((change) => change.seq)), position }
}

describe('createClusterLog', () => {
  it('leaves a line without its end for the next read', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    await log.append(record(1), signal)
    const blob = clients.container.getAppendBlobClient(`clusters/${cluster}/log/1`)
    const text = printLogRecord(record(2))
    await blob.appendBlock(text.slice(0, 10), 10)
    const read = await seqs(log, undefined)
    expect(read.seqs).toEqual([1])
    const rest = `${text.slice(10)}\n`
    await blob.appendBlock(rest, rest.length)
    expect((await seqs(log, read.position)).seqs).toEqual([2])
  })

  it('leaves a damaged line out and says so', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    await log.append(record(1), signal)
    await clients.container.getAppendBlobClient(`clusters/${cluster}/log/1`).appendBlock('{broken\n', 8)
    await log.append(record(2), signal)
    expect((await seqs(log, undefined)).seqs).toEqual([1, 2])
    expect(complaints).toEqual(['a record of the cluster log cannot be read: left out'])
  })

  it('splits a batch too large for a block, and refuses what cannot be split', async () => {
    const log = logOf(newCluster())
    const key = 'k'.repeat(1_500_000)
    const changes = [1, 2, 3, 4].map((seq) => ({ op: 'delete', kind: 'pod', seq, at: epochMs(1), key }) as const)
    const large: LogRecord = { term: 1, receivedAt: epochMs(1), body: { kind: 'changes', changes } }
    const { position: start } = await log.read(undefined, signal)
    const appended = await log.append(large, signal)
    const read = await log.read(undefined, signal)
    expect(appended.seenFrom(start)).toEqual({ is: 'next', position: read.position })
    expect(appended.seenFrom(read.position)).toEqual({ is: 'past' })
    expect(read.records.map(({ body }) => body.changes.map(({ seq }) => seq))).toEqual([
      [1, 2],
      [3, 4],
    ])
    await expect(log.append({ ...large, body: { kind: 'snapshot', seq: 1, part: 1, parts: 1, changes } }, signal)).rejects.toMatchObject({
      problem: { code: 'INPUT.TOO_LARGE' },
    })
    await expect(log.append(record(5, key.repeat(3)), signal)).rejects.toMatchObject({ problem: { code: 'INPUT.TOO_LARGE' } })
  })
})

describe('an appended record', () => {
  it('is beyond a reader that does not know the generation, since the end of the one before is not known', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    await log.append(record(1), signal)
    const { position } = await log.read(undefined, signal)
    await log.rotate(signal)
    const appended = await log.append(record(2), signal)
    expect(appended.seenFrom(position)).toEqual({ is: 'beyond' })
    expect(appended.seenFrom((await log.read(position, signal)).position)).toEqual({ is: 'past' })
  })
})

describe('a log longer than one read', () => {
  it('is read part by part, in all its generations, and also lines longer than a part', async () => {
    const cluster = newCluster()
    const log = createClusterLog(clients.container, cluster, { ...QUIET, rotateBytes: 1, readBytes: 300 })
    for (let seq = 1; seq <= 12; seq++) {
      await log.append(record(seq, 'k'.repeat(seq === 5 ? 2_000 : 40)), signal)
      if (seq % 4 === 0) await log.rotate(signal)
    }
    const read: number[] = []
    let [position, parts, bytes, more]: [LogPosition | undefined, number, number, boolean] = [undefined, 0, 0, true]
    for (; more; parts++) {
      const part = await log.read(position, signal)
      read.push(...part.records.flatMap(({ body }) => body.changes.map(({ seq }) => seq)))
      expect(part.records.length).toBeLessThan(12)
      ;({ position, more } = part)
      bytes += part.bytes
    }
    expect(read.sort((first, second) => first - second)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
    expect(parts).toBeGreaterThan(1)
    const whole = await logOf(cluster).read(undefined, signal)
    expect([bytes, whole.more]).toEqual([whole.bytes, false])
  })
})

describe('rotation', () => {
  it('does nothing while the log is small', async () => {
    const cluster = newCluster()
    const log = logOf(cluster, 1_000_000)
    await log.append(record(1), signal)
    await log.rotate(signal)
    expect(await blobs(cluster)).toEqual(['head', 'log/1'])
  })

  it('keeps a generation until the checkpoint covers it, and late appends to it are read', async () => {
    const cluster = newCluster()
    const [writer, reader] = [logOf(cluster), logOf(cluster)]
    await writer.append(record(1), signal)
    const before = await seqs(reader, undefined)
    await reader.rotate(signal)
    await writer.append(record(2), signal) // the writer still uses the head it has read: the record goes to generation 1
    await logOf(cluster).append(record(3), signal)
    expect(await blobs(cluster)).toEqual(['head', 'log/1', 'log/2'])
    const after = await seqs(reader, before.position)
    expect(after.seqs).toEqual([2, 3])
    await reader.saveCheckpoint(compact(before.position, 1), signal)
    await reader.rotate(signal)
    expect(await blobs(cluster)).toContain('log/1') // the checkpoint does not cover change 2
    await reader.saveCheckpoint(compact(after.position, 3), signal)
    await reader.rotate(signal)
    expect((await blobs(cluster)).filter((name) => name.startsWith('log'))).toEqual(['log/2', 'log/3'])
    expect((await seqs(reader, after.position)).seqs).toEqual([])
    await writer.append(record(4), signal) // the generation of the writer is gone: it reads the head again
    expect((await seqs(reader, after.position)).seqs).toEqual([4])
  })

  it('tells a reader who missed something, and only that one', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    await log.append(record(1), signal)
    const early = await seqs(log, undefined)
    await log.append(record(2), signal)
    const late = await seqs(log, early.position)
    await log.rotate(signal)
    await log.saveCheckpoint(compact(late.position, 2), signal)
    await log.rotate(signal)
    expect((await seqs(log, early.position)).seqs).toEqual([2]) // the generation before the current is kept
    await logOf(cluster).append(record(3), signal)
    await log.rotate(signal)
    expect((await seqs(log, late.position)).seqs).toEqual([3])
    await expect(log.read(early.position, signal)).rejects.toMatchObject({ problem: { code: 'STORE.LOG_GAP' } })
    await expect(log.read('nonsense', signal)).rejects.toMatchObject({ problem: { code: 'STORE.LOG_GAP' } })
  })

  it('starts a new generation when storage takes no more blocks', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    await log.append(record(1), signal)
    await clients.container.getAppendBlobClient(`clusters/${cluster}/log/1`).seal()
    await log.append(record(2), signal)
    expect((await seqs(log, undefined)).seqs).toEqual([1, 2])
    expect(await blobs(cluster)).toEqual(['head', 'log/1', 'log/2'])
  })
})

describe('the checkpoint', () => {
  it('is the newest one saved, whoever is late', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    expect(await log.loadCheckpoint(signal)).toBeUndefined()
    const early = await seqs(log, undefined)
    await log.append(record(1), signal)
    const late = await seqs(log, undefined)
    await log.saveCheckpoint(compact(late.position, 1), signal)
    await log.saveCheckpoint(compact(early.position, 0), signal)
    expect(await logOf(cluster).loadCheckpoint(signal)).toEqual(compact(late.position, 1))
  })

  it('may be longer than a block, and is written and read line by line', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    const { position } = await seqs(log, undefined)
    const entries = Array.from({ length: 40 }, (_, index) => {
      const key = `ö${randomBytes(300_000).toString('base64')}${index}`
      return { version: { term: 1, seq: index }, change: { op: 'delete', kind: 'pod', seq: index, at: epochMs(1), key } as const }
    })
    await log.saveCheckpoint({ ...compact(position, 1), entries }, signal)
    const { contentLength = 0 } = await clients.container.getBlobClient(`clusters/${cluster}/compact/1`).getProperties()
    expect(contentLength).toBeGreaterThan(2 * 4 * 1024 * 1024)
    expect(await logOf(cluster).loadCheckpoint(signal)).toEqual({ ...compact(position, 1), entries })
  })

  it('is still read as programs before wrote it, on one line', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    const { position } = await seqs(log, undefined)
    await log.saveCheckpoint(compact(position, 1), signal)
    const text = JSON.stringify({ v: 1, ...compact(position, 7) })
    await clients.container.getBlockBlobClient(`clusters/${cluster}/compact/1`).upload(text, text.length)
    expect(await log.loadCheckpoint(signal)).toEqual(compact(position, 7))
  })

  it('survives a writer that died before the pointer moved, and keeps few old ones', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    const { position } = await seqs(log, undefined)
    await log.saveCheckpoint(compact(position, 1), signal)
    await clients.container.getBlockBlobClient(`clusters/${cluster}/compact/2`).upload('left over', 9)
    await log.saveCheckpoint(compact(position, 2), signal)
    expect(await log.loadCheckpoint(signal)).toEqual(compact(position, 2))
    await log.saveCheckpoint(compact(position, 3), signal)
    expect(await blobs(cluster)).toEqual(['compact/3', 'compact/4', 'head'])
  })

  it('is compressed', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    const { position } = await seqs(log, undefined)
    const entries = Array.from({ length: 5_000 }, (_, seq) => {
      const change = { op: 'delete', kind: 'pod', seq, at: epochMs(1), key: `namespace/${seq}` } as const
      return { version: { term: 1, seq }, change }
    })
    await log.saveCheckpoint({ ...compact(position, 1), entries }, signal)
    const { contentLength = 0 } = await clients.container.getBlobClient(`clusters/${cluster}/compact/1`).getProperties()
    expect(contentLength).toBeLessThan(JSON.stringify(entries).length / 5)
  })

  it('is left aside when its compressed content is cut short or is none', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    const { position } = await seqs(log, undefined)
    await log.saveCheckpoint(compact(position, 1), signal)
    const blob = clients.container.getBlockBlobClient(`clusters/${cluster}/compact/1`)
    const whole = await blob.downloadToBuffer()
    for (const content of [
      whole.subarray(0, -12),
      whole.subarray(0, 5),
      Buffer.from('{'),
      whole.map((byte, index) => (index < 20 ? byte : byte ^ 0x55)),
    ]) {
      await blob.upload(content, content.length, { blobHTTPHeaders: { blobContentType: 'application/gzip' } })
      expect(await log.loadCheckpoint(signal)).toBeUndefined()
    }
    expect(new Set(complaints)).toEqual(new Set(['the checkpoint cannot be read: starting without it']))
    await blob.upload(whole, whole.length, { blobHTTPHeaders: { blobContentType: 'application/gzip' } })
    expect(await log.loadCheckpoint(signal)).toEqual(compact(position, 1))
  })

  it('is left aside when it cannot be read', async () => {
    const cluster = newCluster()
    const log = logOf(cluster)
    const { position } = await seqs(log, undefined)
    await log.saveCheckpoint(compact(position, 1), signal)
    await clients.container.getBlockBlobClient(`clusters/${cluster}/compact/1`).upload('{', 1)
    expect(await log.loadCheckpoint(signal)).toBeUndefined()
    expect(complaints).toEqual(['the checkpoint cannot be read: starting without it'])
  })
})

async function blobs(cluster: ClusterId): Promise<string[]> {
  const names: string[] = []
  const prefix = `clusters/${cluster}/`
  for await (const blob of clients.container.listBlobsFlat({ prefix })) names.push(blob.name.slice(prefix.length))
  return names
}

describe('a reader that applies what its process has appended', () => {
  const put = (seq: number): LogRecord => {
    const object = { name: `n${seq}`, uid: uid(`n${seq}`), labels: {} }
    return {
      term: 1,
      receivedAt: epochMs(1),
      body: { kind: 'changes', changes: [{ op: 'put', kind: 'namespace', seq, at: epochMs(1), key: object.name, object }] },
    }
  }

  it('has all of that in each state, and all of other processes after a whole read, however the log is rotated and removed', async () => {
    const step = fc.constantFrom('own', 'own', 'of another', 'rotate', 'other rotates', 'catchUp', 'read', 'checkpoint')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const cluster = newCluster()
        const [log, other] = [logOf(cluster), logOf(cluster)]
        const reader = createClusterReader(log)
        await other.append({ term: 1, receivedAt: epochMs(1), body: { kind: 'snapshot', seq: 1, part: 1, parts: 1, changes: [] } }, signal)
        const names = async (known?: string) => {
          const { state, position } = await reader.catchUp(epochMs(1), signal, known)
          reader.hasSeen('seen')
          return { state, position, names: state.list('namespace').map(({ name }) => name) }
        }
        await names()
        const [own, all]: [string[], string[]] = [[], []]
        let seq = 1
        for (const each of [...steps, 'catchUp', 'read']) {
          if (each === 'own' || each === 'of another') all.push(`n${++seq}`)
          if (each === 'own') {
            reader.receive(put(seq), await log.append(put(seq), signal))
            own.push(`n${seq}`)
          }
          if (each === 'of another') await other.append(put(seq), signal)
          if (each === 'rotate') await log.rotate(signal)
          if (each === 'other rotates') await other.rotate(signal)
          if (each === 'checkpoint') {
            const { state, position } = await createClusterReader(other).catchUp(epochMs(1), signal)
            await other.saveCheckpoint(state.compact(position), signal)
            await other.rotate(signal)
          }
          if (each === 'catchUp') expect((await names('seen')).names).toEqual(expect.arrayContaining(own))
          if (each === 'read') expect((await names()).names.sort()).toEqual([...all].sort())
        }
      }),
      { numRuns: 20 },
    )
  })
})
