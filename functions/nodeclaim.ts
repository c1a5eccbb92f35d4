import { parseClaimMessage } from '../shared/wire/message.ts'
import type { AppDeps } from './appDeps.ts'
import type { FunctionApp } from './functionApp.ts'
import { registerQueueWork } from './queueWork.ts'

/** Queue: does the steps of one claim that are possible now. */
export function registerNodeClaim(app: FunctionApp, deps: AppDeps): void {
  registerQueueWork(app, deps, {
    queue: 'nodeclaim',
    parse: parseClaimMessage,
    work: ({ steps }, message, signal) => steps.step(message, signal),
  })
}
