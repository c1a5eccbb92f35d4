import { parseDoorbell } from '../shared/wire/message.ts'
import type { AppDeps } from './appDeps.ts'
import type { FunctionApp } from './functionApp.ts'
import { registerQueueWork } from './queueWork.ts'

/** Queue: looks at a cluster. The message is done when the decision that includes it is committed. */
export function registerReconcile(app: FunctionApp, deps: AppDeps): void {
  registerQueueWork(app, deps, {
    queue: 'reconcile',
    parse: parseDoorbell,
    work: ({ window }, doorbell, signal) => window.join(doorbell, signal),
  })
}
