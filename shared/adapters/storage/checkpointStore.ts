import type { ContainerClient } from '@azure/storage-blob'
import { mapBounded } from '../../base/concurrency.ts'
import { leastOf } from '../../base/lists.ts'
import { err } from '../../base/result.ts'
import type { ClusterId } from '../../model/ids.ts'
import { Fault, type Problem, problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { Checkpoint } from '../../ports/clusterLog.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createCheckpointReader, printCheckpoint } from '../../wire/checkpoint.ts'
import { listBlobs, readLines, removeBlob, writeNewLines } from './blobText.ts'
import type { HeadStore } from './logHead.ts'
import { type LogOffsets, parsePosition } from './logOffsets.ts'

export type CheckpointStore = {
  load(signal: AbortSignalLike): Promise<Checkpoint | undefined>
  save(state: Checkpoint, signal: AbortSignalLike): Promise<void>
}

export type CheckpointStoreOptions = {
  readonly container: ContainerClient
  readonly cluster: ClusterId
  readonly heads: HeadStore
  readonly telemetry: Telemetry
}

const TRIES = 5
/** The most concurrent removals. */
const AT_ONCE = 8
/** The number of checkpoints that are kept besides the newest: a reader may have read the pointer just before it moved. */
const EARLIER_KEPT = 1

export function createCheckpointStore(options: CheckpointStoreOptions): CheckpointStore {
  return {
    load: (signal) => load(options, signal),
    save: async (state, signal) => {
      const number = await saveAndPoint(options, state, signal)
      if (number !== undefined) await removeEarlier(options, number, signal)
    },
  }
}

function pathOf(cluster: ClusterId, number: number): string {
  return `clusters/${cluster}/compact/${number}`
}

async function load(options: CheckpointStoreOptions, signal: AbortSignalLike): Promise<Checkpoint | undefined> {
  const { cluster, container, heads, telemetry } = options
  for (let tries = 0; tries < TRIES; tries++) {
    const { head } = await heads.read(signal)
    if (head.compact === undefined) return undefined
    const path = pathOf(cluster, head.compact.number)
    const reader = createCheckpointReader()
    const lines = await readLines(container.getBlobClient(path), reader.add, signal)
    if (lines === 'missing') continue // the pointer moved on meanwhile
    const state = lines === 'damaged' ? err(damaged(path)) : reader.end()
    if (state.ok) return state.value
    telemetry.warn('the checkpoint cannot be read: starting without it', {
      cluster,
      path,
      code: state.error.code,
      why: state.error.message,
    })
    return undefined
  }
  telemetry.error('the checkpoint the log points at does not exist: starting without it', { cluster, code: 'STORE.LOG_GAP' })
  return undefined
}

function damaged(path: string): Problem {
  return problem('INPUT.INVALID', `blob ${path}: its compressed content is damaged`, { object: path })
}

/** Writes the checkpoint first and then the pointer. Returns its number, or undefined if there is a newer checkpoint already. */
async function saveAndPoint(options: CheckpointStoreOptions, state: Checkpoint, signal: AbortSignalLike): Promise<number | undefined> {
  const { cluster, heads } = options
  const position = parsePosition(state.position)
  for (let tries = 0; tries < TRIES; tries++) {
    const { etag, head } = await heads.read(signal)
    if (head.compact !== undefined && isBehind(position, head.compact.position)) return undefined
    const number = await writeNext(options, state, (head.compact?.number ?? 0) + 1, signal)
    const moved = await heads.write({ ...head, compact: { number, position } }, etag, signal)
    if (moved.ok) return number
  }
  const what = `the head of the log of cluster ${cluster} kept changing`
  throw new Fault('save the checkpoint', problem('STORE.CONFLICT', what, { retryAfterMs: 1_000 }))
}

/** Reports whether the other position is further in the same or a later generation than this one. */
function isBehind(position: LogOffsets, other: LogOffsets): boolean {
  const oldest = leastOf(position.keys())
  return [...other].some(([generation, offset]) => generation >= oldest && (position.get(generation) ?? 0) < offset)
}

/** Writes a checkpoint under the next free number. A taken number belongs to another writer, or to one that died before it moved the pointer. */
async function writeNext(options: CheckpointStoreOptions, state: Checkpoint, first: number, signal: AbortSignalLike): Promise<number> {
  const { cluster, container } = options
  for (let number = first; ; number++) {
    if (await writeNewLines(container.getBlockBlobClient(pathOf(cluster, number)), printCheckpoint(state), signal)) return number
  }
}

async function removeEarlier(options: CheckpointStoreOptions, newest: number, signal: AbortSignalLike): Promise<void> {
  const { cluster, container } = options
  const prefix = `clusters/${cluster}/compact/`
  const names = await listBlobs(container, prefix, signal)
  const earlier = names.filter((name) => Number(name.slice(prefix.length)) < newest - EARLIER_KEPT)
  await mapBounded(earlier, AT_ONCE, (name) => removeBlob(container.getBlobClient(name), signal))
}
