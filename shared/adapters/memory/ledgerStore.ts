import { err, ok } from '../../base/result.ts'
import { LEDGER_SCHEMA, type Ledger } from '../../model/ledger.ts'
import { problem } from '../../model/problem.ts'
import type { LedgerStore, Versioned } from '../../ports/ledgerStore.ts'
import type { Connection } from './connection.ts'
import { storedCopy } from './storedCopy.ts'

export type LedgerTruth = { stored: Versioned<Ledger> | undefined; writes: number }

export function createLedgerTruth(): LedgerTruth {
  return { stored: undefined, writes: 0 }
}

export function createMemoryLedgerStore(truth: LedgerTruth, connection: Connection): LedgerStore {
  return {
    load: (signal) =>
      connection.read('ledger.load', 'ledger', signal, () => {
        const { stored } = truth
        if (stored !== undefined && stored.value.schema > LEDGER_SCHEMA) {
          const rule = `the ledger has schema ${stored.value.schema}, this program knows ${LEDGER_SCHEMA}`
          return err(problem('STORE.NEWER_SCHEMA', `${rule}: deploy the newer program`, { object: 'ledger' }))
        }
        return ok(stored)
      }),
    save: (ledger, etag, signal) =>
      connection.write('ledger.save', 'ledger', signal, () => {
        if (truth.stored?.etag !== etag) {
          return err(
            problem('STORE.CONFLICT', 'the ledger was written by somebody else: read it again', { object: 'ledger', retryAfterMs: 0 }),
          )
        }
        const next = `"${++truth.writes}"`
        truth.stored = { value: storedCopy(ledger), etag: next }
        return ok(next)
      }),
  }
}
