import { describe, expect, it } from 'vitest'
import type { Lease } from '../../shared/ports/lease.ts'
import { abortedSignal, type Closing, codeOf, fresh, SIGNAL, valueOf } from './harness.ts'

export type LeaseHarness = Closing & {
  /** The same lease in two processes. */
  readonly one: Lease
  readonly two: Lease
  /** Takes the lease from its holder. Resolves when the holder can have noticed. */
  readonly breakLease: () => Promise<void>
  /** Advances time past the lease duration while the holders are alive: a live holder must have renewed its lease. Absent where time is real. */
  readonly passLeaseTime?: () => Promise<void>
  /** Ends the process of `one` without a release of the lease. Absent where the test cannot do that. */
  readonly killOne?: () => Promise<void>
}

export function describeLease(name: string, make: () => Promise<LeaseHarness> | LeaseHarness): void {
  describe(`${name} as a lease`, () => {
    it('has one holder', async () => {
      const { one, two } = await fresh(make)
      const held = valueOf(await one.acquire(SIGNAL))
      expect(codeOf(await two.acquire(SIGNAL))).toBe('STORE.LEASE_HELD')
      expect(held.lost.aborted).toBe(false)
      await held.release()
    })

    it('is not given to its own holder a second time', async () => {
      const { one } = await fresh(make)
      const held = valueOf(await one.acquire(SIGNAL))
      expect(codeOf(await one.acquire(SIGNAL))).toBe('STORE.LEASE_HELD')
      await held.release()
    })

    it('has one winner among many', async () => {
      const { one, two } = await fresh(make)
      const outcomes = await Promise.all([one, two, one, two].map((lease) => lease.acquire(SIGNAL)))
      expect(outcomes.map(codeOf).sort()).toEqual(['STORE.LEASE_HELD', 'STORE.LEASE_HELD', 'STORE.LEASE_HELD', 'ok'])
      for (const outcome of outcomes) if (outcome.ok) await outcome.value.release()
    })

    it('is free once released, and a release is not a loss', async () => {
      const { one, two } = await fresh(make)
      const held = valueOf(await one.acquire(SIGNAL))
      await held.release()
      expect(held.lost.aborted).toBe(false)
      const next = valueOf(await two.acquire(SIGNAL))
      await next.release()
    })

    it('tells a holder who lost it, and that one takes it from nobody', async () => {
      const { one, two, breakLease } = await fresh(make)
      const held = valueOf(await one.acquire(SIGNAL))
      await breakLease()
      expect(held.lost.aborted).toBe(true)
      const next = valueOf(await two.acquire(SIGNAL))
      await held.release()
      expect(codeOf(await one.acquire(SIGNAL))).toBe('STORE.LEASE_HELD')
      await next.release()
    })

    it('stays with a holder who lives, however long, and leaves one who died', async (context) => {
      const { one, two, passLeaseTime, killOne } = await fresh(make)
      if (passLeaseTime === undefined || killOne === undefined) return context.skip('time is real here')
      await one.acquire(SIGNAL)
      await passLeaseTime()
      expect(codeOf(await two.acquire(SIGNAL))).toBe('STORE.LEASE_HELD')
      await killOne()
      expect(codeOf(await two.acquire(SIGNAL))).toBe('STORE.LEASE_HELD')
      await passLeaseTime()
      expect(codeOf(await two.acquire(SIGNAL))).toBe('ok')
    })

    it('ends with the reason of an aborted signal', async () => {
      const { one } = await fresh(make)
      await expect(one.acquire(abortedSignal('enough'))).rejects.toBe('enough')
    })
  })
}
