import { stableHash } from '../shared/base/stableHash.ts'
import { tellFailing } from '../shared/flows/reports/reportStatus.ts'
import { problem } from '../shared/model/problem.ts'
import { parseInterruption } from '../shared/wire/eventGrid.ts'
import type { AppDeps } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { INTERRUPTION_QUEUE } from './interruption.ts'
import { eventOfMessage } from './queuedEvent.ts'

/**
 * Queue: events about machines that the host gave up on, if events arrive by queue. Each is stored under `poison/` with its problem, since nothing
 * else has it, and reported to a person. Work of the app itself needs no such queue: the timer finds it again.
 */
export function registerPoison(app: FunctionApp, deps: AppDeps): void {
  if (deps.eventDelivery !== 'queue') return
  app.storageQueue(`poison-${INTERRUPTION_QUEUE}`, {
    queueName: `${INTERRUPTION_QUEUE}-poison`,
    connection: 'AzureWebJobsStorage',
    handler: async (message) => {
      const parsed = parseInterruption(eventOfMessage(message))
      const why = parsed.ok
        ? problem('INTERNAL.FAILED', 'the event is well formed; its handler failed every time, see the log')
        : parsed.error
      const record = { queue: INTERRUPTION_QUEUE, at: deps.clock.now(), problem: why, message }
      await deps.documents.write(`poison/${INTERRUPTION_QUEUE}/${stableHash(message)}`, JSON.stringify(record), 'any', workBudget())
      tellFailing(deps.telemetry, { key: 'interruption' }, why)
    },
  })
}
