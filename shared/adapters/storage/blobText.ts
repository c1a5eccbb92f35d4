import type { BlobClient, BlockBlobClient, ContainerClient } from '@azure/storage-blob'
import { err, ok, type Result } from '../../base/result.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { Versioned } from '../../ports/ledgerStore.ts'
import { attempt, must } from './storageError.ts'

/** Undefined when there is no such blob. */
export async function readText(blob: BlobClient, signal: AbortSignalLike): Promise<Versioned<string> | undefined> {
  const operation = `read blob ${blob.name}`
  const found = await attempt(operation, ['BlobNotFound', 'ContainerNotFound'], signal, async () => {
    const response = await blob.download(0, undefined, { abortSignal: signal })
    return { value: (await bodyOf(response.readableStreamBody)).toString('utf8'), etag: response.etag ?? '' }
  })
  return found.ok ? found.value : undefined
}

/** `etag` undefined: the blob must not exist; `any`: overwrite. Answers the new etag, or STORE.CONFLICT. */
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

/** One that is not there counts as removed. */
export async function removeBlob(blob: BlobClient, signal: AbortSignalLike): Promise<void> {
  await attempt(`remove blob ${blob.name}`, ['BlobNotFound', 'ContainerNotFound'], signal, () => blob.delete({ abortSignal: signal }))
}

/** Names that start with the prefix, in order. */
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
