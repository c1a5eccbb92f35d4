import type { BlockBlobClient, ContainerClient } from '@azure/storage-blob'
import { ok, type Result } from '../../base/result.ts'
import type { ClusterId } from '../../model/ids.ts'
import { Fault, type Problem, problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { readText, writeText } from './blobText.ts'
import { type LogOffsets, parseOffsets } from './logOffsets.ts'

/** Where the log of a cluster stands: one small blob, guarded by its etag. */
export type LogHead = {
  /** Appends go here. */
  readonly generation: number
  /** The oldest generation kept. */
  readonly oldest: number
  /** Final length of generations removed lately: tells a reader whether it had read them to their end. */
  readonly ended: LogOffsets
  /** The newest compact state, and the position it stands for. */
  readonly compact?: { readonly number: number; readonly position: LogOffsets }
}

export type VersionedHead = { readonly head: LogHead; readonly etag: string | undefined }

export type HeadStore = {
  /** A cluster that never had a log starts at generation 1. */
  read(signal: AbortSignalLike): Promise<VersionedHead>
  /** The new etag, or STORE.CONFLICT. */
  write(head: LogHead, etag: string | undefined, signal: AbortSignalLike): Promise<Result<string, Problem>>
}

const FIRST: LogHead = { generation: 1, oldest: 1, ended: new Map() }
const SCHEMA = 1
/** Removed generations remembered: a reader further behind starts from the compact state anyway. */
const ENDED_KEPT = 16

export function createHeadStore(container: ContainerClient, cluster: ClusterId): HeadStore {
  const blob: BlockBlobClient = container.getBlockBlobClient(`clusters/${cluster}/head`)
  return {
    read: async (signal) => {
      const found = await readText(blob, signal)
      return found === undefined ? { head: FIRST, etag: undefined } : { head: parseHead(blob.name, found.value), etag: found.etag }
    },
    write: async (head, etag, signal) => {
      const written = await writeText(blob, printHead(head), etag, signal)
      return written.ok ? ok(written.value) : written
    },
  }
}

/** The head without a generation that the compact state covers to its end. */
export function withoutOldest(head: LogHead, length: number): LogHead {
  const ended = new Map([...head.ended, [head.oldest, length] as const].slice(-ENDED_KEPT))
  return { ...head, oldest: head.oldest + 1, ended }
}

function printHead(head: LogHead): string {
  const compact =
    head.compact === undefined ? {} : { compact: { number: head.compact.number, position: Object.fromEntries(head.compact.position) } }
  return JSON.stringify({
    schema: SCHEMA,
    generation: head.generation,
    oldest: head.oldest,
    ended: Object.fromEntries(head.ended),
    ...compact,
  })
}

function parseHead(name: string, text: string): LogHead {
  const value = parseJson(text)
  const generation = member(value, 'generation')
  const oldest = member(value, 'oldest')
  const ended = parseOffsets(member(value, 'ended'))
  const compact = member(value, 'compact')
  const number = member(compact, 'number')
  const position = parseOffsets(member(compact, 'position'))
  if (member(value, 'schema') !== SCHEMA || typeof generation !== 'number' || typeof oldest !== 'number' || ended === undefined)
    throw new Fault(
      `read blob ${name}`,
      problem('STORE.NEWER_SCHEMA', `blob ${name} is not a log head this program understands`, { object: name }),
    )
  const head = { generation, oldest, ended }
  return typeof number === 'number' && position !== undefined ? { ...head, compact: { number, position } } : head
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
}
