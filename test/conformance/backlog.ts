import { describe, expect, it } from 'vitest'
import { clusterId } from '../../shared/model/ids.ts'
import type { Backlog } from '../../shared/ports/backlog.ts'
import type { WakeQueue } from '../../shared/ports/wakeQueue.ts'
import { abortedSignal, type Closing, fresh, SIGNAL } from './harness.ts'

export type BacklogHarness = Closing & {
  readonly backlog: Backlog
  readonly wakes: WakeQueue
  readonly now: () => number
}

const cluster = clusterId('conformance')
/** Storage has a resolution of seconds. */
const TOLERANCE_MS = 5_000

export function describeBacklog(name: string, make: () => Promise<BacklogHarness> | BacklogHarness): void {
  describe(`${name} as a backlog`, () => {
    it('is nothing for a queue that is empty', async () => {
      const { backlog } = await fresh(make)
      expect(await backlog.look(SIGNAL)).toEqual([{ queue: 'wake', messages: 0 }])
    })

    it('counts what is there, and says since when the oldest could be taken', async () => {
      const { backlog, wakes, now } = await fresh(make)
      const before = now()
      for (let n = 0; n < 3; n++) await wakes.wake(cluster, SIGNAL)
      const [found] = await backlog.look(SIGNAL)
      expect(found).toMatchObject({ queue: 'wake', messages: 3 })
      expect(Math.abs((found?.waitsSince ?? 0) - before)).toBeLessThan(TOLERANCE_MS)
    })

    it('ends with the reason of an aborted signal', async () => {
      const { backlog } = await fresh(make)
      await expect(backlog.look(abortedSignal('enough'))).rejects.toBe('enough')
    })
  })
}
