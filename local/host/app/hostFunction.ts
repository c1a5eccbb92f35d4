import { ownValue } from '../../../shared/base/values.ts'
import { FunctionError, HostError } from '../base/hostError.ts'
import { readConnection, type StorageConnection } from '../base/storageConnection.ts'
import type { AppRegistry, Binding, RegisteredFunction, RetryOptions } from './functionsCore.ts'

export type Settings = { readonly [name: string]: string }

export type AuthLevel = 'anonymous' | 'function' | 'admin'

export type Trigger =
  | { readonly kind: 'http'; readonly methods: readonly string[]; readonly route: string; readonly authLevel: AuthLevel }
  | { readonly kind: 'queue'; readonly queueName: string; readonly connection: StorageConnection }
  | { readonly kind: 'timer'; readonly schedule: string; readonly runOnStartup: boolean; readonly useMonitor: boolean }
  | { readonly kind: 'eventGrid' }

/** What starts a function. */
export type HostTrigger = Pick<HostFunction, 'name' | 'trigger'>

export type QueueOutput = { readonly queueName: string; readonly connection: StorageConnection }

/** One function as the host dispatches it. */
export type HostFunction = {
  readonly name: string
  /** Key of the trigger among the bindings. The handler gets the value of the trigger under this name. */
  readonly triggerName: string
  readonly trigger: Trigger
  /** By binding key. The key of the return value is `$return`. */
  readonly queueOutputs: ReadonlyMap<string, QueueOutput>
  readonly retry?: RetryOptions
  readonly disabled: boolean
  readonly registered: RegisteredFunction
}

const DEFAULT_CONNECTION = 'AzureWebJobsStorage'

/**
 * Reads the functions that the app registered. A function that is wrong is told to `leaveOut`. Features that this host does not emulate are
 * refused.
 */
export function readFunctions(
  registry: AppRegistry,
  settings: Settings,
  leaveOut: (error: FunctionError) => void,
): readonly HostFunction[] {
  const names = new Map<string, string>()
  return [...registry.functions.values()].flatMap((registered) => {
    const { name } = registered.metadata
    const twin = names.get(name.toLowerCase())
    if (twin !== undefined)
      throw new HostError(`functions ${twin} and ${name} differ in case only: names must be unique without regard to case`)
    names.set(name.toLowerCase(), name)
    return unlessWrong(() => [readFunction(registered, settings)], leaveOut) ?? []
  })
}

/** Returns undefined if a function is wrong, which it tells. */
export function unlessWrong<Value>(read: () => Value, leaveOut: (error: FunctionError) => void): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error
    leaveOut(error)
    return undefined
  }
}

function readFunction(registered: RegisteredFunction, settings: Settings): HostFunction {
  const { name, bindings, retryOptions } = registered.metadata
  const entries = Object.entries(bindings)
  const trigger = entries.find(([, binding]) => /trigger$/i.test(binding.type))
  if (trigger === undefined) throw new FunctionError(`function ${name} has no trigger`)
  const others = entries.filter((entry) => entry !== trigger)
  const queueOutputs = new Map<string, QueueOutput>()
  for (const [key, binding] of others) {
    if (binding.direction !== 'out') throw new HostError(`function ${name}: the input binding ${key} (${binding.type}) is not emulated`)
    if (binding.type === 'queue') queueOutputs.set(key, readQueueOutput(name, binding, settings))
    else if (binding.type !== 'http') throw new HostError(`function ${name}: the output binding ${key} (${binding.type}) is not emulated`)
  }
  return {
    name,
    triggerName: trigger[0],
    trigger: readTrigger(name, trigger[1], settings),
    queueOutputs,
    ...(retryOptions === undefined || retryOptions === null ? {} : { retry: retryOptions }),
    disabled: [`AzureWebJobs.${name}.Disabled`, `AzureWebJobs__${name}__Disabled`].some((key) =>
      /^(true|1)$/i.test(ownValue(settings, key) ?? ''),
    ),
    registered,
  }
}

function readTrigger(name: string, binding: Binding, settings: Settings): Trigger {
  switch (binding.type.toLowerCase()) {
    case 'httptrigger':
      return { kind: 'http', methods: methodsOf(binding), route: textOf(binding, 'route') ?? name, authLevel: authLevelOf(name, binding) }
    case 'queuetrigger':
      return { kind: 'queue', ...readQueueOutput(name, binding, settings) }
    case 'timertrigger':
      return {
        kind: 'timer',
        schedule: resolveSetting(name, required(name, binding, 'schedule'), settings),
        runOnStartup: binding['runOnStartup'] === true,
        useMonitor: binding['useMonitor'] !== false,
      }
    case 'eventgridtrigger':
      return { kind: 'eventGrid' }
    default:
      throw new HostError(`function ${name}: the trigger ${binding.type} is not emulated`)
  }
}

function readQueueOutput(name: string, binding: Binding, settings: Settings): QueueOutput {
  const queueName = resolveSetting(name, required(name, binding, 'queueName'), settings)
  if (!/^(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(queueName))
    throw new FunctionError(`function ${name}: queue name ${queueName} must be 3 to 63 lower case letters, digits and single hyphens`)
  const prefix = textOf(binding, 'connection') ?? DEFAULT_CONNECTION
  const connection = connectionOf(settings, prefix)
  if (connection === undefined)
    throw new FunctionError(
      `function ${name}: setting ${prefix} is missing; it must be a storage connection string, or name an account by identity`,
    )
  return { queueName, connection }
}

/** One connection for all functions, so that they share its client. */
const connections = new WeakMap<Settings, Map<string, StorageConnection>>()

function connectionOf(settings: Settings, prefix: string): StorageConnection | undefined {
  const known = connections.get(settings) ?? new Map<string, StorageConnection>()
  connections.set(settings, known)
  const connection = known.get(prefix) ?? readConnection(settings, prefix) ?? readConnection(settings, `AzureWebJobs${prefix}`)
  if (connection !== undefined) known.set(prefix, connection)
  return connection
}

/** Replaces `%NAME%` with the setting NAME. */
function resolveSetting(name: string, value: string, settings: Settings): string {
  return value.replace(/%([^%]+)%/g, (_whole, setting: string) => {
    const found = ownValue(settings, setting)
    if (found === undefined) throw new FunctionError(`function ${name}: '%${setting}%' does not resolve to a value; set ${setting}`)
    return found
  })
}

function methodsOf(binding: Binding): readonly string[] {
  const { methods } = binding
  return Array.isArray(methods) && methods.length > 0 ? methods.map((method) => String(method).toUpperCase()) : ['GET', 'POST']
}

function authLevelOf(name: string, binding: Binding): AuthLevel {
  const level = textOf(binding, 'authLevel')?.toLowerCase() ?? 'anonymous'
  if (level === 'anonymous' || level === 'function' || level === 'admin') return level
  throw new FunctionError(`function ${name}: authLevel ${level} must be anonymous, function or admin`)
}

function required(name: string, binding: Binding, property: string): string {
  const value = textOf(binding, property)
  if (value === undefined) throw new FunctionError(`function ${name}: ${binding.type} has no ${property}`)
  return value
}

function textOf(binding: Binding, property: string): string | undefined {
  const value = ownValue(binding, property)
  return typeof value === 'string' && value !== '' ? value : undefined
}
