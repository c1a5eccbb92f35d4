import type { ContainerClient } from '@azure/storage-blob'
import { mapBounded } from '../../base/concurrency.ts'
import { addAll, leastOf } from '../../base/lists.ts'
import type { ClusterId } from '../../model/ids.ts'
import { Fault, problem } from '../../model/problem.ts'
import { checkTerm } from '../../model/term.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { Appended, ClusterLog, LogPart, LogPosition, LogRecord } from '../../ports/clusterLog.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { parseLogRecord, printLogRecord } from '../../wire/logRecord.ts'
import { readText, removeBlob, writeText } from './blobText.ts'
import { createCheckpointStore } from './checkpointStore.ts'
import { createLogGeneration } from './logGeneration.ts'
import { createHeadStore, type HeadStore, type LogHead, withoutOldest } from './logHead.ts'
import { type AppendedBytes, gap, type LogOffsets, parsePosition, printPosition, sightOf } from './logOffsets.ts'

export type ClusterLogOptions = {
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** From this length on, the log begins a new generation. */
  readonly rotateBytes?: number
  /** About how many bytes of a generation are read at once. Default: 8 MiB. */
  readonly readBytes?: number
}

/** The most bytes of a block. Storage appends a block as a whole or not at all, and accepts at least this size. */
const MAX_BLOCK_BYTES = 4 * 1024 * 1024
const ROTATE_BYTES = 8 * 1024 * 1024
/** From this number of blocks on, the log begins a new generation. Storage allows 50,000 blocks in a blob. */
const ROTATE_BLOCKS = 20_000
/** How long appends use the head without reading it again. Readers follow all generations that are kept, so a late append is still read. */
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
 * The log of one cluster: an append blob for each generation, and a head blob that names them. Readers follow every generation that is kept. A
 * generation is removed only at a length that the checkpoint covers, so that rotation loses nothing in a race.
 */
export function createClusterLog(container: ContainerClient, cluster: ClusterId, options: ClusterLogOptions): ClusterLog {
  const heads = createHeadStore(container, cluster)
  const context: Context = { ...options, container, cluster, heads, known: undefined }
  const compact = createCheckpointStore({ container, cluster, heads, telemetry: options.telemetry })
  const want = container.getBlockBlobClient(`clusters/${cluster}/want`)
  return {
    append: async (record, signal) => appendedAt(await append(context, record, signal)),
    checkTerm: async ({ term, receivedAt }, signal) => checkTerm(term, (await currentHead(context, signal)).term, receivedAt),
    read: (from, signal) => read(context, from, signal),
    loadCheckpoint: compact.load,
    saveCheckpoint: compact.save,
    rotate: (signal) => rotate(context, signal),
    requestSnapshot: async (because, signal) => {
      if (because === undefined) return removeBlob(want, signal)
      await writeText(want, because, 'any', signal)
    },
    snapshotRequest: async (signal) => (await readText(want, signal))?.value,
  }
}

/** Makes the term of the record the newest term. Throws if a later term has begun, or if the term must not begin yet. */
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

/** Appends a record. A record that is too large for one block is split if its kind allows that. */
async function append(context: Context, record: LogRecord, signal: AbortSignalLike): Promise<readonly AppendedBytes[]> {
  await enterTerm(context, record, signal)
  const line = Buffer.from(`${printLogRecord(record)}\n`, 'utf8')
  if (line.length <= MAX_BLOCK_BYTES) return [await appendLine(context, line, signal)]
  const { body } = record
  if (body.kind === 'snapshot' || body.changes.length < 2) {
    const rule = `a record of the log of cluster ${context.cluster} has ${line.length} bytes; at most ${MAX_BLOCK_BYTES} are allowed`
    throw new Fault('append to the cluster log', problem('INPUT.TOO_LARGE', `${rule}: send smaller batches`))
  }
  const half = Math.ceil(body.changes.length / 2)
  const first = await append(context, { ...record, body: { kind: 'changes', changes: body.changes.slice(0, half) } }, signal)
  return [...first, ...(await append(context, { ...record, body: { kind: 'changes', changes: body.changes.slice(half) } }, signal))]
}

function appendedAt(appended: readonly AppendedBytes[]): Appended {
  return { bytes: appended.reduce((sum, { length }) => sum + length, 0), seenFrom: (from) => sightOf(appended, from) }
}

async function appendLine(context: Context, line: Buffer, signal: AbortSignalLike): Promise<AppendedBytes> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { generation, isFresh } = await currentHead(context, signal)
    const log = createLogGeneration(context.container, context.cluster, generation)
    const outcome = await log.append(line, signal)
    if (typeof outcome === 'object') return { generation, offset: outcome.offset, length: line.length }
    context.known = undefined
    // If the head is old, a missing blob was removed by a rotation. If the head is fresh, the blob was never created.
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

/** The most generations read at a time. */
const READ_AT_ONCE = 4
/** The most bytes read of each generation, which is more than a line takes. Once this much was read in all, no further generation is read. */
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

/** The offsets at which to read on. Throws if a generation was removed that was not read to its end. */
function startOf(head: LogHead, from: LogPosition | undefined): LogOffsets {
  if (from === undefined) return new Map()
  const start = parsePosition(from)
  for (const generation of range(leastOf(start.keys()), head.oldest - 1)) {
    const end = head.ended.get(generation)
    if (end === undefined || (start.get(generation) ?? 0) < end) throw gap(`generation ${generation} of the log was removed`)
  }
  return start
}

/**
 * Reports whether nothing is lost by a missing blob: it was not created yet, or it was removed at a length that the checkpoint covers and that was
 * read.
 */
function wasReadToItsEnd(head: LogHead, generation: number, offset: number): boolean {
  const covered = head.compact?.position.get(generation)
  return generation === head.generation || (covered !== undefined && offset >= covered)
}

/** The record of a line. A damaged line is left out, so that it does not hide the others. The numbers of the changes show the gap. */
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

/** Creates the blob of a generation and then points the head at it. Another writer may have done either before. */
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
 * Removes old generations, oldest first, as far as the checkpoint covers them to their end. The generation before the current one is kept, so that
 * only a reader that is a whole generation behind must start again.
 */
async function removeCovered(context: Context, signal: AbortSignalLike): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { etag, head } = await context.heads.read(signal)
    const covered = head.compact?.position.get(head.oldest)
    if (head.oldest >= head.generation - 1 || covered === undefined) return
    const log = createLogGeneration(context.container, context.cluster, head.oldest)
    const state = await log.state(signal)
    // The removal is guarded by the etag, so a late append keeps the blob. The next round finds it longer than the covered length.
    if (state !== undefined && (state.length > covered || !(await log.remove(state, signal)))) return
    await context.heads.write(withoutOldest(head, covered), etag, signal)
  }
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_unused, index) => first + index)
}
