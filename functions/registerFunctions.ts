import type { AppDeps } from './appDeps.ts'
import { registerWake } from './clusterRuntime.ts'
import { registerEvents } from './events.ts'
import { registerExplain } from './explain.ts'
import type { FunctionApp } from './functionApp.ts'
import { answered } from './httpProblem.ts'
import { registerInterruption } from './interruption.ts'
import { registerPoison } from './poison.ts'
import { registerStatus } from './status.ts'
import { registerTimer } from './timer.ts'

/** Registers every trigger of the app. */
export function registerFunctions(given: FunctionApp, deps: AppDeps): void {
  const app = answered(given, deps.telemetry)
  registerEvents(app, deps)
  registerStatus(app, deps)
  registerExplain(app, deps)
  registerWake(app, deps)
  registerInterruption(app, deps)
  registerTimer(app, deps)
  registerPoison(app, deps)
}
