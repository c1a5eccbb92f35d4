import { describe, expect, it } from 'vitest'
import { clusterId, nodeClaimName } from '../../shared/model/ids.ts'
import type { ClaimMessage, Doorbell } from '../../shared/model/message.ts'
import type { Backlog, QueueBacklog } from '../../shared/ports/backlog.ts'
import type { WorkQueue } from '../../shared/ports/workQueue.ts'
import { NOW } from '../builders/clock.ts'
import { abortedSignal, type Closing, fresh, SIGNAL } from './harness.ts'

export type BacklogHarness = Closing & {
  readonly backlog: Backlog
  readonly queue: WorkQueue
  readonly now: () => number
}

const cluster = clusterId('conformance')
const DOORBELL: Doorbell = { kind: 'doorbell', cluster, because: 'changes', eventAt: NOW, urgent: false }
const CLAIM: ClaimMessage = { kind: 'nodeClaim', cluster, claim: nodeClaimName('default-aaaaa'), follow: true, sentAt: NOW, attempt: 2 }
/** Storage has a resolution of seconds and rounds delays up to full seconds. */
const TOLERANCE_MS = 5_000

export function describeBacklog(name: string, make: () => Promise<BacklogHarness> | BacklogHarness): void {
  const byName = (found: readonly QueueBacklog[]) => Object.fromEntries(found.map((each) => [each.queue, each]))

  describe(`${name} as a backlog`, () => {
    it('is nothing for queues that are empty', async () => {
      const { backlog } = await fresh(make)
      expect(byName(await backlog.look(SIGNAL))).toEqual({
        reconcile: { queue: 'reconcile', messages: 0 },
        nodeclaim: { queue: 'nodeclaim', messages: 0 },
      })
    })

    it('counts what is there, and says since when the oldest could be taken', async () => {
      const { backlog, queue, now } = await fresh(make)
      const before = now()
      for (let n = 0; n < 3; n++) await queue.ring(DOORBELL, 0, SIGNAL)
      const { reconcile, nodeclaim } = byName(await backlog.look(SIGNAL))
      expect(nodeclaim).toEqual({ queue: 'nodeclaim', messages: 0 })
      expect(reconcile?.messages).toBe(3)
      expect(Math.abs((reconcile?.waitsSince ?? 0) - before)).toBeLessThan(TOLERANCE_MS)
    })

    it('counts a message that is told to wait, which keeps nobody waiting', async () => {
      const { backlog, queue } = await fresh(make)
      await queue.send(CLAIM, 3_600_000, SIGNAL)
      expect(byName(await backlog.look(SIGNAL))['nodeclaim']).toEqual({ queue: 'nodeclaim', messages: 1 })
    })

    it('ends with the reason of an aborted signal', async () => {
      const { backlog } = await fresh(make)
      await expect(backlog.look(abortedSignal('enough'))).rejects.toBe('enough')
    })
  })
}
