import { registerHooks } from 'node:module'
import { HostError } from '../base/hostError.ts'
import type { LogLevel } from '../base/hostLog.ts'
import type { InvocationRequest, InvocationResponse } from './rpc.ts'

export type Binding = { readonly type: string; readonly direction: string; readonly [property: string]: unknown }

export type FunctionMetadata = {
  readonly name: string
  readonly functionId?: string
  readonly bindings: { readonly [name: string]: Binding }
  readonly retryOptions?: RetryOptions
}

export type RetryOptions = {
  readonly maxRetryCount: number
  readonly retryStrategy: string
  readonly delayInterval?: { readonly seconds: number }
  readonly minimumInterval?: { readonly seconds: number }
  readonly maximumInterval?: { readonly seconds: number }
}

export type FunctionCallback = (...args: unknown[]) => unknown
export type HookName = 'preInvocation' | 'postInvocation' | 'appStart' | 'appTerminate' | 'log'
export type HookCallback = (context: object) => unknown

export type RegisteredFunction = {
  readonly metadata: FunctionMetadata
  readonly callback: FunctionCallback
  /** JSON of each binding, with its key as `name`, as the platform indexes it. */
  readonly rawBindings: readonly string[]
}

export type CoreInvocation = {
  readonly invocationId: string
  readonly request: InvocationRequest
  readonly metadata: FunctionMetadata
  state: 'preInvocationHooks' | 'invocation' | 'postInvocationHooks' | undefined
  log(level: LogLevel, category: string, message: string): void
}

export type InvocationModel = {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>
  invokeFunction(context: unknown, inputs: unknown[], callback: FunctionCallback): Promise<unknown>
  getResponse(context: unknown, result: unknown): Promise<InvocationResponse>
}

export type ProgrammingModel = {
  readonly name: string
  readonly version: string
  getInvocationModel(invocation: CoreInvocation): InvocationModel | Promise<InvocationModel>
  getCapabilities(defaults: { [name: string]: string }): Promise<{ [name: string]: string }>
}

/** The functions and hooks that one app registered. It is locked once its functions are indexed. */
export type AppRegistry = {
  readonly functions: Map<string, RegisteredFunction>
  readonly hooks: { readonly [Name in HookName]: HookCallback[] }
  locked: boolean
  log: (level: LogLevel, category: string, message: string) => void
}

const WORKER_VERSION = '3.14.1'
export const HOST_VERSION = '4.1052.200'

const SPECIFIER = '@azure/functions-core'
const MODULE_URL = 'joiner:functions-core'
const GLOBAL_KEY = Symbol.for('joiner.functionsCore')

/** The core of this process. The library looks for its core once and keeps it. */
const slot: { model: ProgrammingModel | undefined; registry: AppRegistry | undefined; installed: boolean } = {
  model: undefined,
  registry: undefined,
  installed: false,
}

export function createRegistry(): AppRegistry {
  return {
    functions: new Map(),
    hooks: { preInvocation: [], postInvocation: [], appStart: [], appTerminate: [], log: [] },
    locked: false,
    log: () => undefined,
  }
}

/** Makes `@azure/functions-core` importable. Registrations from now on go to the registry. */
export function installFunctionsCore(registry: AppRegistry): void {
  slot.registry = registry
  if (slot.installed) return
  slot.installed = true
  Object.assign(globalThis, { [GLOBAL_KEY]: core })
  const source = `module.exports = globalThis[Symbol.for('joiner.functionsCore')]`
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === SPECIFIER ? { url: MODULE_URL, format: 'commonjs', shortCircuit: true } : next(specifier, context),
    load: (url, context, next) => (url === MODULE_URL ? { format: 'commonjs', source, shortCircuit: true } : next(url, context)),
  })
}

/** Returns the programming model that the library passed in. Undefined if no function was registered through the library. */
export function programmingModel(): ProgrammingModel | undefined {
  return slot.model
}

class Disposable {
  #dispose: (() => unknown) | undefined
  constructor(dispose: () => unknown) {
    this.#dispose = dispose
  }
  static from(...disposables: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const disposable of disposables) disposable.dispose()
    })
  }
  dispose(): unknown {
    const dispose = this.#dispose
    this.#dispose = undefined
    return dispose?.()
  }
}

const core = {
  version: WORKER_VERSION,
  hostVersion: HOST_VERSION,
  Disposable,
  setProgrammingModel(model: ProgrammingModel): void {
    if (slot.model !== undefined && slot.model !== model)
      throw new HostError(
        'two copies of @azure/functions are loaded: functions of the first would be lost; keep the package external and hoisted',
      )
    slot.model = model
  },
  getProgrammingModel: () => slot.model,
  log: (level: LogLevel, category: string, message: string) => current().log(level, category, message),
  registerHook(name: string, callback: HookCallback): Disposable {
    const list = Object.entries(current().hooks).find(([known]) => known === name)?.[1]
    if (list === undefined) throw Object.assign(new RangeError(`Unrecognized hook "${name}"`), { isAzureFunctionsSystemError: true })
    list.push(callback)
    return new Disposable(() => list.splice(list.indexOf(callback), 1))
  },
  registerFunction(metadata: FunctionMetadata, callback: FunctionCallback): Disposable {
    const { functions, locked } = current()
    if (locked) throw new HostError('A function can only be registered during app startup.')
    const id = metadata.functionId ?? metadata.name
    if (functions.has(id)) throw new HostError(`A function with id "${id}" has already been registered.`)
    const rawBindings = Object.entries(metadata.bindings).map(([name, binding]) => JSON.stringify({ ...binding, name }))
    functions.set(id, { metadata, callback, rawBindings })
    return new Disposable(() => functions.delete(id))
  },
}

function current(): AppRegistry {
  if (slot.registry === undefined) throw new HostError('no host is loading an app')
  return slot.registry
}
