import { interrupt } from '../shared/flows/lifecycle/interrupt.ts'
import { durationMs } from '../shared/model/units.ts'
import { parseInterruption } from '../shared/wire/eventGrid.ts'
import type { AppDeps } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { interruptionTarget } from './interruptionTarget.ts'
import { eventOfMessage } from './queuedEvent.ts'

/** `infra` uses the same name as the destination of event subscriptions. */
export const INTERRUPTION_QUEUE = 'interruption'

/**
 * How long an event stays open for the work that it caused. Event Grid waits 30 seconds for an answer, the start of the process included, and then
 * delivers the event again (https://learn.microsoft.com/azure/event-grid/delivery-and-retry, read in November 2026).
 */
const LONGEST_EVENT = durationMs(10_000)

/** Event Grid, or the queue that it writes to, as `EVENT_DELIVERY` says: a machine will be removed or was removed. */
export function registerInterruption(app: FunctionApp, deps: AppDeps): void {
  switch (deps.eventDelivery) {
    case 'function':
      return app.eventGrid('interruption', { handler: (event) => take(deps, event) })
    case 'queue':
      return app.storageQueue('interruption', {
        queueName: INTERRUPTION_QUEUE,
        connection: 'AzureWebJobsStorage',
        handler: (message) => take(deps, eventOfMessage(message)),
      })
  }
}

/** An event that cannot be parsed is logged and counts as done: a retry would not help. */
async function take(deps: AppDeps, event: unknown): Promise<void> {
  const parsed = parseInterruption(event)
  if (!parsed.ok) {
    deps.telemetry.warn(`an event was not understood: ${parsed.error.message}`, { code: parsed.error.code, path: parsed.error.path })
    return
  }
  const signal = workBudget()
  const target = await interruptionTarget(deps, parsed.value, signal)
  if (!target.ok) {
    deps.telemetry.warn(`an event was ignored: ${target.error.message}`, { code: target.error.code, path: target.error.path })
    return
  }
  if (target.value === undefined) return
  const { runtime, interruption } = target.value
  await runtime.cover.during(() => interrupt(runtime.deps, interruption, signal), LONGEST_EVENT)
}
