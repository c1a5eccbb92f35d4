import type { Result } from '../shared/base/result.ts'
import { stableHash } from '../shared/base/stableHash.ts'
import { reportFailed } from '../shared/flows/lifecycle/reportFailed.ts'
import type { ClaimMessage } from '../shared/model/message.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import { parseInterruption } from '../shared/wire/eventGrid.ts'
import { parseClaimMessage, parseDoorbell } from '../shared/wire/message.ts'
import type { AppDeps } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { INTERRUPTION_QUEUE } from './interruption.ts'
import { eventOfMessage } from './queuedEvent.ts'

/**
 * Queue: messages that the host gave up on. Each is stored under `poison/` with its problem and reported to a person. No message is put back:
 * messages are hints, and resync finds the work again.
 */
export function registerPoison(app: FunctionApp, deps: AppDeps): void {
  register(app, deps, 'reconcile', parseDoorbell)
  register(app, deps, 'nodeclaim', parseClaimMessage, (message, why) => reportToClaim(deps, message, why))
  if (deps.eventDelivery === 'queue') register(app, deps, INTERRUPTION_QUEUE, (message) => parseInterruption(eventOfMessage(message)))
}

/** Reports the failure on the claim, if the claim can be written. So readers of the claim need not know about queues. */
async function reportToClaim({ clusters }: AppDeps, { cluster, claim }: ClaimMessage, why: Problem): Promise<void> {
  const gate = clusters.get(cluster)
  if (gate === undefined) return
  const signal = workBudget()
  const { deps } = await gate.open(signal)
  await reportFailed(deps, claim, why, signal)
}

function register<Message>(
  app: FunctionApp,
  deps: AppDeps,
  queue: string,
  parse: (message: unknown) => Result<Message, Problem>,
  tell?: (message: Message, why: Problem) => Promise<void>,
): void {
  app.storageQueue(`poison-${queue}`, {
    queueName: `${queue}-poison`,
    connection: 'AzureWebJobsStorage',
    handler: async (message) => {
      const parsed = parse(message)
      const why = parsed.ok
        ? problem('INPUT.INVALID', 'the message is well formed; its handler failed every time, see the log')
        : parsed.error
      const record = { queue, at: deps.clock.now(), problem: why, message }
      await deps.documents.write(`poison/${queue}/${stableHash(message)}`, JSON.stringify(record), 'any', workBudget())
      deps.telemetry.event('message.poisoned', { queue, errorCode: why.code })
      deps.telemetry.error(`a message of queue ${queue} was given up: ${why.message}`, { queue, code: why.code, path: why.path })
      if (parsed.ok) await tell?.(parsed.value, why)
    },
  })
}
