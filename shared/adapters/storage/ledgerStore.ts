import type { ContainerClient } from '@azure/storage-blob'
import { ok } from '../../base/result.ts'
import type { ClusterId } from '../../model/ids.ts'
import type { Ledger } from '../../model/ledger.ts'
import type { LedgerStore } from '../../ports/ledgerStore.ts'
import { readText, writeText } from './blobText.ts'
import type { Codec } from './codec.ts'

/** The ledger as one blob, guarded by its etag: a writer who read an older one fails before it does anything else. */
export function createLedgerStore(container: ContainerClient, cluster: ClusterId, codec: Codec<Ledger>): LedgerStore {
  const blob = container.getBlockBlobClient(`clusters/${cluster}/ledger`)
  return {
    load: async (signal) => {
      const found = await readText(blob, signal)
      if (found === undefined) return ok(undefined)
      const ledger = codec.parse(found.value)
      return ledger.ok ? ok({ value: ledger.value, etag: found.etag }) : ledger
    },
    save: (ledger, etag, signal) => writeText(blob, codec.print(ledger), etag, signal),
  }
}
