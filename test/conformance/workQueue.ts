import { describe, expect, it } from 'vitest'
import { clusterId, nodeClaimName } from '../../shared/model/ids.ts'
import type { ClaimMessage, Doorbell } from '../../shared/model/message.ts'
import type { WorkQueue } from '../../shared/ports/workQueue.ts'
import { NOW } from '../builders/clock.ts'
import { abortedSignal, type Closing, fresh, SIGNAL } from './harness.ts'

export type WorkQueueHarness = Closing & {
  readonly queue: WorkQueue
  /** The messages that a host could take now. Each is returned once. */
  readonly received: () => Promise<readonly unknown[]>
  /** Lets this many milliseconds pass. */
  readonly pass: (ms: number) => Promise<void>
}

const cluster = clusterId('conformance')
const DOORBELL: Doorbell = { kind: 'doorbell', cluster, because: 'changes', eventAt: NOW, urgent: false }
const CLAIM: ClaimMessage = { kind: 'nodeClaim', cluster, claim: nodeClaimName('default-aaaaa'), follow: true, sentAt: NOW, attempt: 2 }

export function describeWorkQueue(name: string, make: () => Promise<WorkQueueHarness> | WorkQueueHarness): void {
  describe(`${name} as a work queue`, () => {
    it('hands over what was sent, whole', async () => {
      const { queue, received } = await fresh(make)
      await queue.ring(DOORBELL, 0, SIGNAL)
      await queue.send(CLAIM, 0, SIGNAL)
      const messages = await received()
      expect(messages).toHaveLength(2)
      expect(messages).toEqual(expect.arrayContaining([DOORBELL, CLAIM]))
    })

    it('keeps equal messages apart', async () => {
      const { queue, received } = await fresh(make)
      await queue.ring(DOORBELL, 0, SIGNAL)
      await queue.ring(DOORBELL, 0, SIGNAL)
      expect(await received()).toEqual([DOORBELL, DOORBELL])
    })

    it('holds a delayed message back, and then gives it', async () => {
      const { queue, received, pass } = await fresh(make)
      await queue.send(CLAIM, 1_000, SIGNAL)
      expect(await received()).toEqual([])
      await pass(2_100)
      expect(await received()).toEqual([CLAIM])
    })

    it('ends with the reason of an aborted signal, and sends nothing', async () => {
      const { queue, received } = await fresh(make)
      await expect(queue.ring(DOORBELL, 0, abortedSignal('enough'))).rejects.toBe('enough')
      expect(await received()).toEqual([])
    })
  })
}
