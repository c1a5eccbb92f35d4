import { settle } from '../shared/base/bounded.ts'
import type { Telemetry } from '../shared/ports/telemetry.ts'
import type { FunctionApp } from './functionApp.ts'

/**
 * The app with HTTP functions that always answer. With HTTP streams, the library answers nothing if a handler throws (azure-functions-nodejs-library
 * issue 324, read in November 2026): the caller waits until the host cuts the connection after four minutes.
 */
export function answered(app: FunctionApp, telemetry: Telemetry): FunctionApp {
  return {
    ...app,
    http: (name, options) =>
      app.http(name, {
        ...options,
        async handler(request, context) {
          const outcome = await settle(async () => options.handler(request, context))
          if (outcome.ok) return outcome.value
          telemetry.error(`the function ${name} failed: ${String(outcome.error)}`, { work: name })
          return { status: 500 }
        },
      }),
  }
}
