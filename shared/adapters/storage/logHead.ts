import type { BlockBlobClient, ContainerClient } from '@azure/storage-blob'
import { ok, type Result } from '../../base/result.ts'
import type { ClusterId } from '../../model/ids.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { constant, decode, dictionary, integer, optional, record } from '../../wire/codec.ts'
import { parseJson } from '../../wire/version.ts'
import { readText, writeText } from './blobText.ts'
import { type LogOffsets, offsetsOf } from './logOffsets.ts'

/** The head of the log of a cluster: one small blob, guarded by its etag. */
export type LogHead = {
  /** The generation that appends go to. */
  readonly generation: number
  /** The newest term in the log. 0 while the log is empty. */
  readonly term: number
  /** The oldest generation kept. */
  readonly oldest: number
  /** The final lengths of generations that were removed lately. They tell a reader whether it had read them to their end. */
  readonly ended: LogOffsets
  /** The newest checkpoint and its position. Absent if there is none. */
  readonly compact?: { readonly number: number; readonly position: LogOffsets }
}

export type VersionedHead = { readonly head: LogHead; readonly etag: string | undefined }

export type HeadStore = {
  /** Reads the head. A cluster without a log starts at generation 1. */
  read(signal: AbortSignalLike): Promise<VersionedHead>
  /** Writes the head. Returns the new etag, or STORE.CONFLICT. */
  write(head: LogHead, etag: string | undefined, signal: AbortSignalLike): Promise<Result<string, Problem>>
}

const FIRST: LogHead = { generation: 1, term: 0, oldest: 1, ended: new Map() }
const VERSION = 1
/** The most removed generations in the head. A reader that is further behind starts from the checkpoint anyway. */
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

/** The head without a generation that the checkpoint covers to its end. */
export function withoutOldest(head: LogHead, length: number): LogHead {
  const ended = new Map([...head.ended, [head.oldest, length] as const].slice(-ENDED_KEPT))
  return { ...head, oldest: head.oldest + 1, ended }
}

type Document = {
  readonly v: typeof VERSION
  readonly generation: number
  readonly term?: number
  readonly oldest: number
  readonly ended: { readonly [generation: string]: number }
  readonly compact?: { readonly number: number; readonly position: { readonly [generation: string]: number } }
}

const document = record<Document>({
  v: constant(VERSION),
  generation: integer,
  term: optional(integer),
  oldest: integer,
  ended: dictionary(integer),
  compact: optional(record<NonNullable<Document['compact']>>({ number: integer, position: dictionary(integer) })),
})

function printHead({ generation, term, oldest, ended, compact }: LogHead): string {
  const position = Object.fromEntries(compact?.position ?? [])
  return JSON.stringify(
    document.write({
      v: VERSION,
      generation,
      term,
      oldest,
      ended: Object.fromEntries(ended),
      ...(compact === undefined ? {} : { compact: { number: compact.number, position } }),
    }),
  )
}

/** Parses a head. Throws if it cannot be parsed, which stops all work on the cluster: to go on could lose parts of the log. */
function parseHead(name: string, text: string): LogHead {
  const json = parseJson(text, name)
  const read = json.ok ? decode(document, json.value, { object: name, code: 'STORE.NEWER_SCHEMA' }) : json
  if (!read.ok) throw new Fault(`read blob ${name}`, read.error)
  const { generation, term = 0, oldest, ended, compact } = read.value
  const head = { generation, term, oldest, ended: offsetsOf(ended) }
  return compact === undefined ? head : { ...head, compact: { number: compact.number, position: offsetsOf(compact.position) } }
}
