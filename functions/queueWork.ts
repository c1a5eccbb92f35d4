import type { InvocationContext } from '@azure/functions'
import { settle } from '../shared/base/bounded.ts'
import type { Result } from '../shared/base/result.ts'
import { reportFailing } from '../shared/flows/lifecycle/reportFailed.ts'
import { failureOf, keyOf, tellFailing } from '../shared/flows/reports/failingWork.ts'
import type { ClaimMessage, Doorbell } from '../shared/model/message.ts'
import { Fault, type Problem } from '../shared/model/problem.ts'
import type { AppDeps, ClusterRuntime } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import type { WORK_QUEUES } from './queueNames.ts'

/** `maxDequeueCount` of host.json. After it, the host would put the message into a poison queue, which nobody reads. */
export const MOST_TRIES = 5

type QueueWork<Message> = {
  readonly queue: (typeof WORK_QUEUES)[number]
  readonly parse: (json: unknown) => Result<Message, Problem>
  readonly work: (runtime: ClusterRuntime, message: Message, signal: AbortSignal) => Promise<unknown>
}

/**
 * Queue: does the work of each message. A failure makes the host deliver the message again. The last failure is reported and ends the message: the
 * timer finds the work again.
 */
export function registerQueueWork<Message extends Doorbell | ClaimMessage>(
  app: FunctionApp,
  deps: AppDeps,
  { queue, parse, work }: QueueWork<Message>,
): void {
  async function take(message: unknown): Promise<void> {
    const parsed = parse(message)
    if (!parsed.ok) throw new Fault(`read a message of queue ${queue}`, parsed.error)
    const { cluster } = parsed.value
    const gate = deps.clusters.get(cluster)
    if (gate === undefined) {
      deps.telemetry.warn(`a message of queue ${queue} is about cluster ${cluster}, which is not configured here`, {
        code: 'INPUT.UNKNOWN_CLUSTER',
      })
      return
    }
    const signal = workBudget()
    const runtime = await gate.open(signal)
    await runtime.cover.during(() => work(runtime, parsed.value, signal))
  }

  async function report(message: unknown, thrown: unknown): Promise<void> {
    const parsed = parse(message)
    if (!parsed.ok) return tellFailing(deps.telemetry, { kind: 'message', name: queue }, failureOf(thrown))
    const opened = await settle(async () => deps.clusters.get(parsed.value.cluster)?.open(workBudget()))
    if (opened.ok && opened.value !== undefined) return reportFailing(opened.value.deps, parsed.value, thrown, workBudget())
    tellFailing(deps.telemetry, keyOf(parsed.value), failureOf(thrown))
  }

  app.storageQueue(queue, {
    queueName: queue,
    connection: 'AzureWebJobsStorage',
    handler: async (message, context) => {
      const taken = await settle(() => take(message))
      if (taken.ok) return
      if (triesOf(context) < MOST_TRIES) throw taken.error
      await report(message, taken.error)
    },
  })
}

/** How often the host has delivered the message, this time included. Unknown counts as the first time. */
function triesOf({ triggerMetadata }: InvocationContext): number {
  return Number(triggerMetadata?.['dequeueCount'] ?? 1)
}
