import { mustUnlessGone } from '../client/api.ts'
import { objectKeyOf, type Pod } from '../client/objects.ts'
import { PODS } from '../client/resource.ts'
import type { ControllerContext } from '../context.ts'
import { conditionOf, timestamp } from '../podState.ts'

export type Failure = { readonly reason: 'Unschedulable' | 'SchedulerError'; readonly message: string }

/** Writes on pods why they have no node: never the same reason twice, one report of a pod at a time, and less often the longer a pod waits. */
export interface FailureReports {
  /**
   * Writes the failure, or returns after how many milliseconds the pod may have its next report. The caller then works out the failure anew.
   * Returns undefined if nothing is left to write.
   */
  tell(pod: Pod, failure: Failure): number | undefined
  /** The pod has a node, or is gone. */
  forget(uid: string): void
}

/** The real scheduler tries a pod again after one second, then after twice as long each time, up to ten seconds. */
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 10_000

/** For one pod: the back-off, the earliest time of its next report, and whether a report is being written. */
type Told = { backoffMs: number; notBefore: number; underWay: boolean }

export function createFailureReports(context: ControllerContext): FailureReports {
  const pods = new Map<string, Told>()
  return {
    tell(pod, failure) {
      if (saysAlready(pod, failure)) return undefined
      const now = context.now()
      const told = pods.get(pod.metadata.uid) ?? { backoffMs: FIRST_BACKOFF_MS, notBefore: 0, underWay: false }
      if (told.underWay || now < told.notBefore) return Math.max(FIRST_BACKOFF_MS, told.notBefore - now)
      pods.set(pod.metadata.uid, told)
      told.underWay = true
      told.notBefore = now + told.backoffMs
      told.backoffMs = Math.min(MAX_BACKOFF_MS, 2 * told.backoffMs)
      void report(context, pod, failure).finally(() => {
        told.underWay = false
      })
      return undefined
    },
    forget: (uid) => void pods.delete(uid),
  }
}

function saysAlready(pod: Pod, { reason, message }: Failure): boolean {
  const known = conditionOf(pod, 'PodScheduled')
  return known?.status === 'False' && known.reason === reason && known.message === message
}

async function report(context: ControllerContext, pod: Pod, { reason, message }: Failure): Promise<void> {
  const known = conditionOf(pod, 'PodScheduled')
  const lastTransitionTime = known?.status === 'False' ? known.lastTransitionTime : timestamp(context.now())
  const condition = { type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime }
  context.events.record({ apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata }, { type: 'Warning', reason: 'FailedScheduling', message })
  const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } }
  const answer = await context.api.patch(PODS, pod.metadata, patch, 'strategic', 'status')
  if (!answer.ok && answer.error.code !== 404 && answer.error.code !== 409)
    context.log(`scheduler: ${objectKeyOf(pod)}: ${answer.error.message}`)
  else if (answer.ok) context.informers.pods().observe(mustUnlessGone('report', answer) ?? pod)
}
