import { settle } from '../shared/base/bounded.ts'
import { resync } from '../shared/flows/sweep/resync.ts'
import { Fault } from '../shared/model/problem.ts'
import { parseWake } from '../shared/wire/wake.ts'
import type { AppDeps } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { WAKE_QUEUE } from './queueNames.ts'

/**
 * Queue: a process has ended and left work of a cluster. The work is found in the cluster, and done while this invocation is open. A message is never tried
 * again: the timer finds the work, too.
 */
export function registerWake(app: FunctionApp, deps: AppDeps): void {
  app.storageQueue('wake', {
    queueName: WAKE_QUEUE,
    connection: 'AzureWebJobsStorage',
    async handler(message) {
      const woken = await settle(() => wake(deps, message))
      if (woken.ok) return
      const code = woken.error instanceof Fault ? { code: woken.error.problem.code } : {}
      deps.telemetry.warn(`work of a process that ended is left to the timer: ${String(woken.error)}`, code)
    },
  })
}

async function wake(deps: AppDeps, message: unknown): Promise<void> {
  const parsed = parseWake(message)
  if (!parsed.ok) throw new Fault(`read a message of queue ${WAKE_QUEUE}`, parsed.error)
  const { cluster } = parsed.value
  const gate = deps.clusters.get(cluster)
  if (gate === undefined) {
    const text = `a message of queue ${WAKE_QUEUE} is about cluster ${cluster}, which is not configured here`
    return deps.telemetry.warn(text, { code: 'INPUT.UNKNOWN_CLUSTER' })
  }
  const signal = workBudget()
  const { cover, deps: ofCluster } = await gate.open(signal)
  await cover.during(() => resync(ofCluster, signal))
}
