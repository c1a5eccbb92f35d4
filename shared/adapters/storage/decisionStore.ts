import type { ContainerClient } from '@azure/storage-blob'
import { mapBounded } from '../../base/concurrency.ts'
import type { ClusterId } from '../../model/ids.ts'
import type { DecisionStore } from '../../ports/decisionStore.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { parseDecisionRecord, printDecisionRecord } from '../../wire/decisionRecord.ts'
import { listBlobs, readText, removeBlob, writeText } from './blobText.ts'

export type DecisionStoreOptions = {
  readonly telemetry: Telemetry
  /** The number of decisions to keep. Each new decision removes the oldest one beyond it. Default: 1000. */
  readonly keep?: number
}

const KEEP = 1_000
/** The most concurrent reads. */
const AT_ONCE = 8
const DIGITS = 10

/** A decision store with a blob for each decision. Its name is the number of the decision, padded so that names sort like numbers. */
export function createDecisionStore(container: ContainerClient, cluster: ClusterId, options: DecisionStoreOptions): DecisionStore {
  const prefix = `clusters/${cluster}/decisions/`
  const keep = options.keep ?? KEEP
  const pathOf = (number: number) => `${prefix}${String(number).padStart(DIGITS, '0')}`
  return {
    save: async (record, signal) => {
      await writeText(container.getBlockBlobClient(pathOf(record.number)), printDecisionRecord(record), 'any', signal)
      if (record.number > keep) await removeBlob(container.getBlobClient(pathOf(record.number - keep)), signal)
    },
    latest: async (limit, signal) => {
      const names = await listBlobs(container, prefix, signal)
      const newest = limit > 0 ? names.slice(-limit).reverse() : []
      const texts = await mapBounded(newest, AT_ONCE, (name) => readText(container.getBlobClient(name), signal))
      return texts.flatMap((text, index) => {
        if (text === undefined) return []
        const record = parseDecisionRecord(text.value)
        if (record.ok) return [record.value]
        options.telemetry.warn('a decision record cannot be read: left out', {
          path: newest[index],
          code: record.error.code,
          why: record.error.message,
        })
        return []
      })
    },
  }
}
