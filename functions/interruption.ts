import { interrupt } from '../shared/flows/interrupt.ts'
import { parseInterruption } from '../shared/wire/eventGrid.ts'
import type { AppDeps } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { interruptionTarget } from './interruptionTarget.ts'

/** Event Grid: a machine is about to go, or went. What is not understood is noted and taken as done: a repetition would not help. */
export function registerInterruption(app: FunctionApp, deps: AppDeps): void {
  app.eventGrid('interruption', {
    handler: async (event) => {
      const parsed = parseInterruption(event)
      if (!parsed.ok) {
        deps.telemetry.warn(`an event was not understood: ${parsed.error.message}`, { code: parsed.error.code, path: parsed.error.path })
        return
      }
      const target = interruptionTarget(deps, parsed.value)
      if (!target.ok) {
        deps.telemetry.warn(`an event was not believed: ${target.error.message}`, { code: target.error.code, path: target.error.path })
        return
      }
      if (target.value === undefined) return
      await interrupt(target.value.runtime.deps, target.value.interruption, workBudget())
    },
  })
}
