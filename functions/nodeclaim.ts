import { parseClaimMessage } from '../shared/wire/message.ts'
import type { AppDeps } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { refuseMessage } from './refuseMessage.ts'

/** Queue: does the steps of one claim that are possible now. */
export function registerNodeClaim(app: FunctionApp, deps: AppDeps): void {
  app.storageQueue('nodeclaim', {
    queueName: 'nodeclaim',
    connection: 'AzureWebJobsStorage',
    handler: async (message) => {
      const parsed = parseClaimMessage(message)
      if (!parsed.ok) return refuseMessage('nodeclaim', parsed.error)
      const gate = deps.clusters.get(parsed.value.cluster)
      if (gate === undefined) {
        deps.telemetry.warn(`step for cluster ${parsed.value.cluster}, which is not configured here`, { code: 'INPUT.UNKNOWN_CLUSTER' })
        return
      }
      const signal = workBudget()
      const { cover, steps } = await gate.open(signal)
      await cover.during(() => steps.step(parsed.value, signal))
    },
  })
}
