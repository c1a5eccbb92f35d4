import { hostname } from 'node:os'
import { createCredential } from '../shared/adapters/azure/credential.ts'
import { createAzureExporting } from '../shared/adapters/telemetry/azureExporting.ts'
import { type AzureTelemetry, createAzureTelemetry } from '../shared/adapters/telemetry/azureTelemetry.ts'
import { createRedaction } from '../shared/adapters/telemetry/redact.ts'
import type { Clock } from '../shared/ports/clock.ts'
import type { Settings } from './config.ts'
import { atMost } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'

/** The host gives the process five seconds to end. What is not sent by then is lost. */
const LAST_FLUSH_MS = 3_000

/** Creates the telemetry to Azure Monitor. Undefined if there is no connection string. */
export function createMonitor(settings: Settings, clock: Clock): AzureTelemetry | undefined {
  const { APPLICATIONINSIGHTS_CONNECTION_STRING: connectionString, APPLICATIONINSIGHTS_AUTHENTICATION_STRING: authentication } = settings
  if (connectionString === undefined) return undefined
  const sender =
    authentication === undefined ? {} : { credential: createCredential(clientIdIn(authentication) ?? settings.AZURE_CLIENT_ID) }
  return createAzureTelemetry({
    clock,
    redact: createRedaction([connectionString, settings.AzureWebJobsStorage ?? '']),
    exporting: createAzureExporting({ connectionString, role: 'joiner', instance: hostname(), ...sender }, clock.now),
  })
}

/** Sends telemetry at the end of each invocation, without waiting for it. */
export function flushWith(app: Pick<FunctionApp, 'hook'>, monitor: Pick<AzureTelemetry, 'flush' | 'flushAll'>): void {
  app.hook.postInvocation(() => void monitor.flush())
  app.hook.appTerminate(() => Promise.race([monitor.flushAll(), atMost(LAST_FLUSH_MS)]))
}

function clientIdIn(authentication: string): string | undefined {
  return /ClientId=([^;]+)/.exec(authentication)?.[1]
}
