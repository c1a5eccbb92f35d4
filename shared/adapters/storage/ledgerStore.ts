import type { ContainerClient } from '@azure/storage-blob'
import { ok } from '../../base/result.ts'
import type { ClusterId } from '../../model/ids.ts'
import type { LedgerStore } from '../../ports/ledgerStore.ts'
import { parseLedger, printLedger } from '../../wire/ledger.ts'
import { readText, writeText } from './blobText.ts'

/** The ledger as one blob, guarded by its etag: a writer that has read an older ledger fails before it does anything else. */
export function createLedgerStore(container: ContainerClient, cluster: ClusterId): LedgerStore {
  const blob = container.getBlockBlobClient(`clusters/${cluster}/ledger`)
  return {
    load: async (signal) => {
      const found = await readText(blob, signal)
      if (found === undefined) return ok(undefined)
      const ledger = parseLedger(found.value)
      return ledger.ok ? ok({ value: ledger.value, etag: found.etag }) : ledger
    },
    save: (ledger, etag, signal) => writeText(blob, printLedger(ledger), etag, signal),
  }
}
