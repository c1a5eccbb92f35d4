import type { ContainerClient } from '@azure/storage-blob'
import { mapBounded } from '../../base/bounded.ts'
import { addAll, leastOf } from '../../base/lists.ts'
import type { ClusterId } from '../../model/ids.ts'
import { Fault, problem } from '../../model/problem.ts'
import { checkTerm } from '../../model/term.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { ClusterLog, LogPart, LogPosition, LogRecord } from '../../ports/clusterLog.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { parseLogRecord, printLogRecord } from '../../wire/logRecord.ts'
import { readText, removeBlob, writeText } from './blobText.ts'
import { createCheckpointStore } from './checkpointStore.ts'
import { createLogGeneration } from './logGeneration.ts'
import { createHeadStore, type HeadStore, type LogHead, withoutOldest } from './logHead.ts'
import { gap, type LogOffsets, parsePosition, printPosition } from './logOffsets.ts'

export type ClusterLogOptions = {
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** A log at least this long is worth a new generation. */
  readonly rotateBytes?: number
  /** About so much of a generation is read at once: 8 MiB. */
  readonly readBytes?: number
}

/** Storage appends a block whole or not at all, and takes blocks of this size at least. */
const MAX_BLOCK_BYTES = 4 * 1024 * 1024
const ROTATE_BYTES = 8 * 1024 * 1024
/** Storage allows 50,000 blocks a blob. */
const ROTATE_BLOCKS = 20_000
/** Appends trust what they know of the head for this long; a reader follows all generations kept, so a late append is still read. */
const HEAD_TRUST_MS = 5_000
const TRIES = 5

type Context = ClusterLogOptions & {
  readonly container: ContainerClient
  readonly cluster: ClusterId
  readonly heads: HeadStore
  known: KnownHead | undefined
}
type KnownHead = { readonly generation: number; readonly term: number; readonly readAt: EpochMs }

/**
 * The log of one cluster: append blobs, one a generation, and a head blob that names them. Readers tail every generation
 * kept, and a generation is removed only at a length the checkpoint covers, so rotation loses nothing in a race.
 */
export function createClusterLog(container: ContainerClient, cluster: ClusterId, options: ClusterLogOptions): ClusterLog {
  const heads = createHeadStore(container, cluster)
  const context: Context = { ...options, container, cluster, heads, known: undefined }
  const compact = createCheckpointStore({ container, cluster, heads, telemetry: options.telemetry })
  const want = container.getBlockBlobClient(`clusters/${cluster}/want`)
  return {
    append: (record, signal) => append(context, record, signal),
    read: (from, signal) => read(context, from, signal),
    loadCheckpoint: compact.load,
    saveCheckpoint: compact.save,
    rotate: (signal) => rotate(context, signal),
    wantSnapshot: async (because, signal) => {
      if (because === undefined) return removeBlob(want, signal)
      await writeText(want, because, 'any', signal)
    },
    snapshotWanted: async (signal) => (await readText(want, signal))?.value,
  }
}

/** Makes the term of the record the newest there is; refuses it when a later one has begun, or when it may not begin yet. */
async function enterTerm(context: Context, { term, receivedAt }: LogRecord, signal: AbortSignalLike): Promise<void> {
  const known = await currentHead(context, signal)
  if (term === known.term) return
  if (term < known.term) checkTerm(term, known.term, receivedAt)
  for (let tries = 0; tries < TRIES; tries++) {
    const { etag, head } = await context.heads.read(signal)
    checkTerm(term, head.term, receivedAt)
    const written = term === head.term || (await context.heads.write({ ...head, term }, etag, signal)).ok
    context.known = undefined
    if (written) return
  }
}

/** A record too large for one block is split where its kind allows it. */
async function append(context: Context, record: LogRecord, signal: AbortSignalLike): Promise<void> {
  await enterTerm(context, record, signal)
  const line = Buffer.from(`${printLogRecord(record)}\n`, 'utf8')
  if (line.length <= MAX_BLOCK_BYTES) return appendLine(context, line, signal)
  const { body } = record
  if (body.kind === 'snapshot' || body.changes.length < 2) {
    const rule = `a record of the log of cluster ${context.cluster} has ${line.length} bytes; at most ${MAX_BLOCK_BYTES} are allowed`
    throw new Fault('append to the cluster log', problem('INPUT.TOO_LARGE', `${rule}: send smaller batches`))
  }
  const half = Math.ceil(body.changes.length / 2)
  for (const changes of [body.changes.slice(0, half), body.changes.slice(half)])
    await append(context, { ...record, body: { kind: 'changes', changes } }, signal)
}

async function appendLine(context: Context, line: Buffer, signal: AbortSignalLike): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { generation, isFresh } = await currentHead(context, signal)
    const log = createLogGeneration(context.container, context.cluster, generation)
    const outcome = await log.append(line, signal)
    if (outcome === 'appended') return
    context.known = undefined
    // a blob missing under an old head was rotated away; one missing under a fresh head was never made
    if (outcome === 'missing' && isFresh) await log.create(signal)
    if (outcome === 'full' && isFresh) await startGeneration(context, generation + 1, signal)
  }
  throw new Fault(
    'append to the cluster log',
    problem('STORE.CONFLICT', `the log of cluster ${context.cluster} kept rotating`, { retryAfterMs: 1_000 }),
  )
}

async function currentHead(context: Context, signal: AbortSignalLike): Promise<KnownHead & { readonly isFresh: boolean }> {
  const now = context.clock.now()
  if (context.known !== undefined && now - context.known.readAt < HEAD_TRUST_MS) return { ...context.known, isFresh: false }
  const { head } = await context.heads.read(signal)
  context.known = { generation: head.generation, term: head.term, readAt: now }
  return { ...context.known, isFresh: true }
}

/** Generations that are read beside each other. */
const READ_AT_ONCE = 4
/** Of each this much at most, which is more than a line takes; and no further generation once this much was read. */
const READ_BYTES = 2 * MAX_BLOCK_BYTES

async function read(context: Context, from: LogPosition | undefined, signal: AbortSignalLike): Promise<LogPart> {
  const { readBytes = READ_BYTES } = context
  const { head } = await context.heads.read(signal)
  const start = startOf(head, from)
  const generations = range(head.oldest, head.generation)
  const position = new Map(generations.map((generation) => [generation, start.get(generation) ?? 0]))
  const records: LogRecord[] = []
  let bytes = 0
  let more = false
  for (let first = 0; first < generations.length && !more; first += READ_AT_ONCE) {
    const some = generations.slice(first, first + READ_AT_ONCE)
    const parts = await mapBounded(some, READ_AT_ONCE, async (generation) => {
      const offset = position.get(generation) ?? 0
      return {
        generation,
        offset,
        part: await createLogGeneration(context.container, context.cluster, generation).readLines(offset, readBytes, signal),
      }
    })
    for (const { generation, offset, part } of parts) {
      if (part === undefined && !wasReadToItsEnd(head, generation, offset)) throw gap(`generation ${generation} of the log was removed`)
      if (part === undefined) continue
      position.set(generation, part.end)
      bytes += part.end - offset
      for (const line of part.lines) addAll(records, parseLine(context, line, generation))
    }
    const isFull = bytes >= readBytes && first + READ_AT_ONCE < generations.length
    more = isFull || parts.some(({ part }) => part?.more === true)
  }
  return { records, position: printPosition(position), bytes, more }
}

/** Where to go on. Whatever was removed since must have been read to its end. */
function startOf(head: LogHead, from: LogPosition | undefined): LogOffsets {
  if (from === undefined) return new Map()
  const start = parsePosition(from)
  for (const generation of range(leastOf(start.keys()), head.oldest - 1)) {
    const end = head.ended.get(generation)
    if (end === undefined || (start.get(generation) ?? 0) < end) throw gap(`generation ${generation} of the log was removed`)
  }
  return start
}

/** A blob that is missing under this head: not made yet, or removed since at the length the checkpoint covers. */
function wasReadToItsEnd(head: LogHead, generation: number, offset: number): boolean {
  const covered = head.compact?.position.get(generation)
  return generation === head.generation || (covered !== undefined && offset >= covered)
}

/** One damaged line must not hide the others: the hole it leaves shows in the numbers of the changes. */
function parseLine(context: Context, line: string, generation: number): readonly LogRecord[] {
  const record = parseLogRecord(line)
  if (record.ok) return [record.value]
  const { cluster, telemetry } = context
  telemetry.error('a record of the cluster log cannot be read: left out', {
    cluster,
    generation,
    code: record.error.code,
    why: record.error.message,
  })
  return []
}

async function rotate(context: Context, signal: AbortSignalLike): Promise<void> {
  const { cluster, container, heads } = context
  const { head } = await heads.read(signal)
  const state = await createLogGeneration(container, cluster, head.generation).state(signal)
  const isLarge = state !== undefined && (state.length >= (context.rotateBytes ?? ROTATE_BYTES) || state.blocks >= ROTATE_BLOCKS)
  if (isLarge) await startGeneration(context, head.generation + 1, signal)
  await removeCovered(context, signal)
}

/** Makes the blob, then points at it. Somebody else who did it first is as good. */
async function startGeneration(context: Context, generation: number, signal: AbortSignalLike): Promise<void> {
  await createLogGeneration(context.container, context.cluster, generation).create(signal)
  context.known = undefined
  for (let tries = 0; tries < TRIES; tries++) {
    const { etag, head } = await context.heads.read(signal)
    if (head.generation >= generation) return
    const written = await context.heads.write({ ...head, generation }, etag, signal)
    if (written.ok) return
  }
}

/**
 * Removes old generations, oldest first, as far as the checkpoint covers them to their end. The one before the current is
 * kept, so that only a reader a whole generation behind must start again.
 */
async function removeCovered(context: Context, signal: AbortSignalLike): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { etag, head } = await context.heads.read(signal)
    const covered = head.compact?.position.get(head.oldest)
    if (head.oldest >= head.generation - 1 || covered === undefined) return
    const log = createLogGeneration(context.container, context.cluster, head.oldest)
    const state = await log.state(signal)
    // guarded by the etag: an append that comes late keeps the blob; the next round sees it longer than covered
    if (state !== undefined && (state.length > covered || !(await log.remove(state, signal)))) return
    await context.heads.write(withoutOldest(head, covered), etag, signal)
  }
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_unused, index) => first + index)
}
