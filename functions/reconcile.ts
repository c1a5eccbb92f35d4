import { parseDoorbell } from '../shared/wire/message.ts'
import type { AppDeps } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { refuseMessage } from './refuseMessage.ts'

/** Queue: looks at a cluster. The message is done when the decision that includes it is committed. */
export function registerReconcile(app: FunctionApp, deps: AppDeps): void {
  app.storageQueue('reconcile', {
    queueName: 'reconcile',
    connection: 'AzureWebJobsStorage',
    handler: async (message) => {
      const doorbell = parseDoorbell(message)
      if (!doorbell.ok) return refuseMessage('reconcile', doorbell.error)
      const gate = deps.clusters.get(doorbell.value.cluster)
      if (gate === undefined) {
        deps.telemetry.warn(`doorbell for cluster ${doorbell.value.cluster}, which is not configured here`, {
          code: 'INPUT.UNKNOWN_CLUSTER',
        })
        return
      }
      const signal = workBudget()
      const { cover, window } = await gate.open(signal)
      await cover.during(() => window.join(doorbell.value, signal))
    },
  })
}
