import { ownValue, setOwnValue } from '../../shared/base/values.ts'
import { type AppRegistry, createRegistry } from './app/functionsCore.ts'
import { type HostFunction, readFunctions, type Settings } from './app/hostFunction.ts'
import { runLogHooks } from './app/invoker.ts'
import { loadApp } from './app/loadApp.ts'
import type { HostClock } from './base/hostClock.ts'
import { type HostConfig, readHostConfig } from './base/hostConfig.ts'
import { type FunctionError, HostError } from './base/hostError.ts'
import { createHostLog, type HostLog, type HostLogLine, messageOf } from './base/hostLog.ts'
import { readConnection, type StorageConnection } from './base/storageConnection.ts'
import { readSchedules, type Schedules } from './listeners.ts'

export type HostAppOptions = {
  /** The app: a file (module, bundle or TypeScript), or a folder whose package.json names its files in `main`. */
  readonly appFile: string
  /** Content of host.json. */
  readonly hostJson: unknown
  /** The app's settings, its environment while the host runs. `AzureWebJobsStorage` is a connection string, or names an account by identity. */
  readonly settings: Settings
  readonly log?: (line: HostLogLine) => void
}

/** An app that is loaded and checked. Nothing runs yet. */
export type HostApp = {
  readonly config: HostConfig
  readonly log: HostLog
  readonly registry: AppRegistry
  /** Shared by the app's hooks. */
  readonly appHookData: object
  readonly functions: readonly HostFunction[]
  /** Where the worker takes HTTP requests as streams. Undefined unless the app has set `enableHttpStream`. */
  readonly httpUri: string | undefined
  readonly schedules: Schedules
  /** The storage that keeps locks and schedules. */
  readonly hostStorage: StorageConnection
  /** Runs the terminate hooks, for at most as long as the platform waits for them. */
  terminate(): Promise<void>
  restoreEnvironment(): void
}

const TERMINATE_MS = 5_000

/** Loads an app and checks everything that can be checked before the app runs. */
export async function openApp(options: HostAppOptions, clock: HostClock): Promise<HostApp> {
  const { settings } = options
  const config = readHostConfig(options.hostJson, settings)
  const log = createHostLog(options.log ?? (() => undefined), config.logLevels, clock.now)
  for (const warning of config.warnings) log('warning', 'Host.Startup', warning)
  const hostStorage = readConnection(settings, 'AzureWebJobsStorage')
  if (hostStorage === undefined)
    throw new HostError('setting AzureWebJobsStorage is missing; it must be a storage connection string, or name an account by identity')

  const registry = createRegistry()
  registry.log = (level, category, message) => {
    const line = runLogHooks(registry.hooks.log, { level, message, category, invocationContext: undefined })
    log(line.level, category === 'user' ? 'Worker.User' : 'Worker', line.message)
  }
  const appHookData = {}
  const restoreEnvironment = applyEnvironment(settings)
  try {
    const capabilities = await loadApp(options.appFile, registry, appHookData)
    const leaveOut = (error: FunctionError) => log('error', 'Host.Startup', `${error.message}; the function does not run`)
    const functions = readFunctions(registry, settings, leaveOut)
    const terminate = () => runTerminateHooks(registry, appHookData, clock, log)
    return {
      config,
      log,
      registry,
      appHookData,
      functions,
      httpUri: capabilities['HttpUri'],
      schedules: readSchedules(functions, leaveOut),
      hostStorage,
      terminate,
      restoreEnvironment,
    }
  } catch (error) {
    restoreEnvironment()
    throw error
  }
}

async function runTerminateHooks(registry: AppRegistry, appHookData: object, clock: HostClock, log: HostLog): Promise<void> {
  const over = new AbortController()
  const run = async () => {
    for (const hook of registry.hooks.appTerminate) await hook({ hookData: {}, appHookData })
  }
  const hooks = run().catch((error: unknown) => log('error', 'Host.Shutdown', `a terminate hook failed: ${messageOf(error)}`))
  await Promise.race([hooks, clock.sleep(TERMINATE_MS, over.signal)])
  over.abort()
}

/** Puts the settings into the environment of the process, where the app reads them. Returns the function that restores the environment. */
function applyEnvironment(settings: Settings): () => void {
  const before = Object.keys(settings).map((name) => [name, ownValue(process.env, name)] as const)
  Object.assign(process.env, settings)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else setOwnValue(process.env, name, value)
    }
  }
}
