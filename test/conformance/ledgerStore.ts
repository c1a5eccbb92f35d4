import { describe, expect, it } from 'vitest'
import { clusterId, nodeClaimName, uid } from '../../shared/model/ids.ts'
import { LEDGER_SCHEMA, type Ledger } from '../../shared/model/ledger.ts'
import type { LedgerStore } from '../../shared/ports/ledgerStore.ts'
import { NOW } from '../builders/clock.ts'
import { abortedSignal, type Closing, codeOf, fresh, SIGNAL, valueOf } from './harness.ts'

export type LedgerStoreHarness = Closing & {
  readonly ledger: LedgerStore
  /** The ledger as another process sees it. */
  readonly other: LedgerStore
}

const LEDGER: Ledger = {
  schema: LEDGER_SCHEMA,
  cluster: clusterId('conformance'),
  epoch: 1,
  decisions: 0,
  intents: [],
  nominations: [],
  commands: [],
  backOffs: [],
}

export function describeLedgerStore(name: string, make: () => Promise<LedgerStoreHarness> | LedgerStoreHarness): void {
  describe(`${name} as a ledger store`, () => {
    it('has no ledger at first', async () => {
      const { ledger } = await fresh(make)
      expect(valueOf(await ledger.load(SIGNAL))).toBeUndefined()
    })

    it('gives back the whole ledger to another process', async () => {
      const { ledger, other } = await fresh(make)
      const full: Ledger = { ...LEDGER, epoch: 7, decisions: 3, nominations: [{ pod: uid('p'), claim: nodeClaimName('c'), until: NOW }] }
      const etag = valueOf(await ledger.save(full, undefined, SIGNAL))
      expect(valueOf(await other.load(SIGNAL))).toEqual({ value: full, etag })
    })

    it('is made once', async () => {
      const { ledger, other } = await fresh(make)
      const outcomes = await Promise.all([ledger.save(LEDGER, undefined, SIGNAL), other.save(LEDGER, undefined, SIGNAL)])
      expect(outcomes.map(codeOf).sort()).toEqual(['STORE.CONFLICT', 'ok'])
    })

    it('refuses a writer who read an older one', async () => {
      const { ledger, other } = await fresh(make)
      const etag = valueOf(await ledger.save(LEDGER, undefined, SIGNAL))
      expect(codeOf(await other.save({ ...LEDGER, epoch: 2 }, etag, SIGNAL))).toBe('ok')
      expect(codeOf(await ledger.save({ ...LEDGER, epoch: 3 }, etag, SIGNAL))).toBe('STORE.CONFLICT')
      expect(valueOf(await ledger.load(SIGNAL))?.value.epoch).toBe(2)
    })

    it('ends with the reason of an aborted signal', async () => {
      const { ledger } = await fresh(make)
      await expect(ledger.save(LEDGER, undefined, abortedSignal('enough'))).rejects.toBe('enough')
      expect(valueOf(await ledger.load(SIGNAL))).toBeUndefined()
    })
  })
}
