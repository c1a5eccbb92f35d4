import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'
import type { BlobClient, BlockBlobClient, ContainerClient } from '@azure/storage-blob'
import { err, ok, type Result } from '../../base/result.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { Versioned } from '../../ports/ledgerStore.ts'
import { attempt, must } from './storageError.ts'

const NEWLINE = 0x0a
const GZIP = 'application/gzip'
/** The block size of a blob that is written as a stream. */
const BLOCK_BYTES = 4 * 1024 * 1024
const PIECE_CHARACTERS = 64 * 1024

/** Reads a blob as text. Undefined if there is no such blob. */
export async function readText(blob: BlobClient, signal: AbortSignalLike): Promise<Versioned<string> | undefined> {
  const operation = `read blob ${blob.name}`
  const found = await attempt(operation, ['BlobNotFound', 'ContainerNotFound'], signal, async () => {
    const response = await blob.download(0, undefined, { abortSignal: signal })
    return { value: (await bodyOf(response.readableStreamBody)).toString('utf8'), etag: response.etag ?? '' }
  })
  return found.ok ? found.value : undefined
}

/** Writes a blob. `etag` undefined: the blob must not exist. `any`: overwrite. Returns the new etag, or STORE.CONFLICT. */
export async function writeText(
  blob: BlockBlobClient,
  text: string,
  etag: string | 'any' | undefined,
  signal: AbortSignalLike,
): Promise<Result<string, Problem>> {
  const bytes = Buffer.from(text, 'utf8')
  const written = await attempt(`write blob ${blob.name}`, ['ConditionNotMet', 'BlobAlreadyExists', 'BlobNotFound'], signal, () =>
    blob.upload(bytes, bytes.length, {
      abortSignal: signal,
      conditions: guardOf(etag),
      blobHTTPHeaders: { blobContentType: 'application/json' },
    }),
  )
  if (written.ok) return ok(written.value.etag ?? '')
  return err(
    problem('STORE.CONFLICT', `blob ${blob.name} was written by somebody else: read it again`, { object: blob.name, retryAfterMs: 0 }),
  )
}

export type LinesRead = 'read' | 'missing' | 'damaged'

/** Passes the lines of a blob one by one to `take`, as a stream, compressed or not. A damaged blob may have passed some lines before. */
export async function readLines(blob: BlobClient, take: (line: string) => void, signal: AbortSignalLike): Promise<LinesRead> {
  const found = await attempt(`read blob ${blob.name}`, ['BlobNotFound', 'ContainerNotFound'], signal, async (): Promise<LinesRead> => {
    const { readableStreamBody: body, contentType } = await blob.download(0, undefined, { abortSignal: signal })
    const source = Readable.from(body ?? [])
    const lines = (bytes: AsyncIterable<Uint8Array>) => takeLines(bytes, take)
    try {
      await (contentType === GZIP ? pipeline(source, createGunzip(), lines) : pipeline(source, lines))
      return 'read'
    } catch (cause) {
      if (isZlibError(cause)) return 'damaged'
      throw cause
    }
  })
  return found.ok ? found.value : 'missing'
}

async function takeLines(chunks: AsyncIterable<Uint8Array>, take: (line: string) => void): Promise<void> {
  let rest: Buffer[] = []
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      take(Buffer.concat([...rest, bytes.subarray(start, end)]).toString('utf8'))
      rest = []
      start = end + 1
    }
    rest.push(bytes.subarray(start))
  }
  const last = Buffer.concat(rest)
  if (last.length > 0) take(last.toString('utf8'))
}

/** Reports whether an error comes from zlib: https://nodejs.org/api/zlib.html#error-codes */
function isZlibError(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_')
}

/** Writes lines as a new compressed blob, one block at a time. Returns false if the blob exists, or another writer is writing it. */
export async function writeNewLines(blob: BlockBlobClient, lines: Iterable<string>, signal: AbortSignalLike): Promise<boolean> {
  const written = await attempt(
    `write blob ${blob.name}`,
    ['ConditionNotMet', 'BlobAlreadyExists', 'InvalidBlockList'],
    signal,
    async () => {
      const zip = createGzip({ level: constants.Z_BEST_SPEED })
      try {
        const packing = pipeline(Readable.from(inPieces(lines)), zip)
        const options = { abortSignal: signal, conditions: guardOf(undefined), blobHTTPHeaders: { blobContentType: GZIP } }
        await Promise.all([blob.uploadStream(zip, BLOCK_BYTES, 1, options), packing])
      } finally {
        zip.destroy()
      }
    },
  )
  return written.ok
}

/** The lines with their line ends, joined to larger pieces. */
function* inPieces(lines: Iterable<string>): Generator<Buffer> {
  let piece: string[] = []
  let length = 0
  for (const line of lines) {
    piece.push(line, '\n')
    length += line.length
    if (length < PIECE_CHARACTERS) continue
    yield Buffer.from(piece.join(''), 'utf8')
    piece = []
    length = 0
  }
  if (piece.length > 0) yield Buffer.from(piece.join(''), 'utf8')
}

/** Removes a blob. A blob that does not exist counts as removed. */
export async function removeBlob(blob: BlobClient, signal: AbortSignalLike): Promise<void> {
  await attempt(`remove blob ${blob.name}`, ['BlobNotFound', 'ContainerNotFound'], signal, () => blob.delete({ abortSignal: signal }))
}

/** The names of blobs that start with the prefix, in order. */
export function listBlobs(container: ContainerClient, prefix: string, signal: AbortSignalLike): Promise<readonly string[]> {
  return must(`list blobs under ${prefix}`, signal, async () => {
    const names: string[] = []
    for await (const blob of container.listBlobsFlat({ prefix, abortSignal: signal })) names.push(blob.name)
    return names
  })
}

export async function bodyOf(body: NodeJS.ReadableStream | undefined): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body ?? []) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

function guardOf(etag: string | 'any' | undefined): { ifMatch?: string; ifNoneMatch?: string } {
  if (etag === 'any') return {}
  return etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag }
}
