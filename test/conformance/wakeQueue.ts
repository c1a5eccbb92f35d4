import { describe, expect, it } from 'vitest'
import { clusterId } from '../../shared/model/ids.ts'
import type { WakeQueue } from '../../shared/ports/wakeQueue.ts'
import { abortedSignal, type Closing, fresh, SIGNAL } from './harness.ts'

export type WakeQueueHarness = Closing & {
  readonly wakes: WakeQueue
  /** The messages that a host could take now. Each is returned once. */
  readonly received: () => Promise<readonly unknown[]>
}

const cluster = clusterId('conformance')

export function describeWakeQueue(name: string, make: () => Promise<WakeQueueHarness> | WakeQueueHarness): void {
  describe(`${name} as a wake queue`, () => {
    it('hands over the name of each cluster that was left', async () => {
      const { wakes, received } = await fresh(make)
      await wakes.wake(cluster, SIGNAL)
      await wakes.wake(clusterId('other'), SIGNAL)
      const messages = await received()
      expect(messages).toHaveLength(2)
      expect(messages).toEqual(expect.arrayContaining([{ cluster }, { cluster: 'other' }]))
    })

    it('ends with the reason of an aborted signal, and sends nothing', async () => {
      const { wakes, received } = await fresh(make)
      await expect(wakes.wake(cluster, abortedSignal('enough'))).rejects.toBe('enough')
      expect(await received()).toEqual([])
    })
  })
}
