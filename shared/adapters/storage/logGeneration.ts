import type { AppendBlobClient, ContainerClient } from '@azure/storage-blob'
import type { ClusterId } from '../../model/ids.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { bodyOf } from './blobText.ts'
import { attempt } from './storageError.ts'

export type GenerationState = { readonly length: number; readonly blocks: number; readonly etag: string }

/** Lines without their line ends, the offset after them, and whether there may be more. */
export type LogLines = { readonly lines: readonly string[]; readonly end: number; readonly more: boolean }

/** One append blob of a log. Each of its lines is a record. */
export type LogGeneration = {
  /**
   * Appends bytes. Returns `missing` if the blob does not exist, `full` if it accepts no more blocks. `offset` is undefined if storage does not name
   * it.
   */
  append(bytes: Buffer, signal: AbortSignalLike): Promise<{ readonly offset: number | undefined } | 'missing' | 'full'>
  create(signal: AbortSignalLike): Promise<void>
  /** Returns the complete lines from the offset on, of about `most` bytes in all. Undefined if the blob does not exist. */
  readLines(offset: number, most: number, signal: AbortSignalLike): Promise<LogLines | undefined>
  state(signal: AbortSignalLike): Promise<GenerationState | undefined>
  /** Removes the blob. Returns false if something was appended since the state was read. A blob that is gone counts as removed. */
  remove(state: GenerationState, signal: AbortSignalLike): Promise<boolean>
}

const NEWLINE = 0x0a

export function createLogGeneration(container: ContainerClient, cluster: ClusterId, generation: number): LogGeneration {
  const blob: AppendBlobClient = container.getAppendBlobClient(`clusters/${cluster}/log/${generation}`)
  return {
    append: async (bytes, signal) => {
      const codes = ['BlobNotFound', 'BlockCountExceedsLimit', 'BlobIsSealed'] as const
      const appended = await attempt(`append to ${blob.name}`, codes, signal, () =>
        blob.appendBlock(bytes, bytes.length, { abortSignal: signal }),
      )
      if (appended.ok) return { offset: offsetOf(appended.value.blobAppendOffset) }
      return appended.error === 'BlobNotFound' ? 'missing' : 'full'
    },
    create: async (signal) => {
      await attempt(`create ${blob.name}`, ['BlobAlreadyExists', 'ConditionNotMet'], signal, () =>
        blob.create({ abortSignal: signal, conditions: { ifNoneMatch: '*' } }),
      )
    },
    readLines: async (offset, most, signal) => {
      for (let count = most; ; count *= 2) {
        const read = await attempt(`read ${blob.name}`, ['BlobNotFound', 'ContainerNotFound', 'InvalidRange'], signal, async () => {
          const response = await blob.download(offset, count, { abortSignal: signal })
          return bodyOf(response.readableStreamBody)
        })
        if (!read.ok) return read.error === 'InvalidRange' ? { lines: [], end: offset, more: false } : undefined
        const more = read.value.length === count
        const whole = wholeLines(read.value, offset)
        // The line is longer than `count`, so more must be read to find its end.
        if (!more || whole.end > offset) return { ...whole, more }
      }
    },
    state: async (signal) => {
      const codes = ['BlobNotFound', 'ContainerNotFound'] as const
      const found = await attempt(`look at ${blob.name}`, codes, signal, () => blob.getProperties({ abortSignal: signal }))
      if (!found.ok) return undefined
      const { contentLength = 0, blobCommittedBlockCount = 0, etag = '' } = found.value
      return { length: contentLength, blocks: blobCommittedBlockCount, etag }
    },
    remove: async (state, signal) => {
      const removed = await attempt(`remove ${blob.name}`, ['BlobNotFound', 'ConditionNotMet'], signal, () =>
        blob.delete({ abortSignal: signal, conditions: { ifMatch: state.etag } }),
      )
      return removed.ok || removed.error === 'BlobNotFound'
    },
  }
}

function offsetOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

/** The complete lines. A line without its line end is still being written, or was cut, and is left for the next read. */
function wholeLines(bytes: Buffer, offset: number): { readonly lines: readonly string[]; readonly end: number } {
  const end = bytes.lastIndexOf(NEWLINE) + 1
  const lines = end === 0 ? [] : bytes.toString('utf8', 0, end - 1).split('\n')
  return { lines, end: offset + end }
}
