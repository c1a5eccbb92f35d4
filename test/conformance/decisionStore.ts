import { describe, expect, it } from 'vitest'
import type { DecisionRecord } from '../../shared/model/ledger.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { DecisionStore } from '../../shared/ports/decisionStore.ts'
import { NOW } from '../builders/clock.ts'
import { type Closing, fresh, SIGNAL } from './harness.ts'

export type DecisionStoreHarness = Closing & { readonly decisions: DecisionStore }

function decision(number: number): DecisionRecord {
  const reason = {
    code: 'SCHEDULING.RESOURCES',
    subject: { kind: 'pod', name: 'default/a' },
    message: 'too large',
    fields: { cpus: 400 },
  } as const
  return {
    number,
    epoch: 3,
    takenAt: epochMs(NOW + number),
    position: '{"1":2}',
    decision: { actions: [], reasons: [reason] },
    decideMs: 4,
  }
}

export function describeDecisionStore(name: string, make: () => Promise<DecisionStoreHarness> | DecisionStoreHarness): void {
  describe(`${name} as a decision store`, () => {
    it('has none at first', async () => {
      const { decisions } = await fresh(make)
      expect(await decisions.latest(10, SIGNAL)).toEqual([])
    })

    it('gives the newest first, by number and not by time of saving', async () => {
      const { decisions } = await fresh(make)
      for (const number of [2, 10, 9, 1]) await decisions.save(decision(number), SIGNAL)
      expect((await decisions.latest(3, SIGNAL)).map((record) => record.number)).toEqual([10, 9, 2])
    })

    it('gives back the whole record', async () => {
      const { decisions } = await fresh(make)
      await decisions.save(decision(1), SIGNAL)
      expect(await decisions.latest(1, SIGNAL)).toEqual([decision(1)])
    })

    it('takes one saved twice for one', async () => {
      const { decisions } = await fresh(make)
      await decisions.save(decision(1), SIGNAL)
      await decisions.save(decision(1), SIGNAL)
      expect(await decisions.latest(10, SIGNAL)).toHaveLength(1)
    })

    it('gives nothing when asked for none', async () => {
      const { decisions } = await fresh(make)
      await decisions.save(decision(1), SIGNAL)
      expect(await decisions.latest(0, SIGNAL)).toEqual([])
    })
  })
}
