import { randomUUID } from 'node:crypto'
import type { HostClock } from '../base/hostClock.ts'
import { HostError } from '../base/hostError.ts'
import { type HostLog, messageOf } from '../base/hostLog.ts'
import { type AppRegistry, type CoreInvocation, type HookCallback, programmingModel } from './functionsCore.ts'
import type { HostFunction } from './hostFunction.ts'
import type { InvocationRequest, InvocationResponse, TriggerMetadata, TypedData } from './rpc.ts'

/** Carries an HTTP stream between client and worker. Rejects when either is gone. The signal aborts when the worker dies. */
export type Forward = (invocationId: string, worker: AbortSignal) => Promise<void>

export type TriggerInput = {
  readonly data: TypedData
  readonly metadata?: TriggerMetadata
  /** Begins with the invocation, which is open until both have ended, and failed if either has. */
  readonly forward?: Forward | undefined
  readonly retryContext?: InvocationRequest['retryContext']
}

export type Invoker = {
  /** Runs the handler with its hooks. Rejects if the handler fails. */
  invoke(target: HostFunction, input: TriggerInput): Promise<InvocationResponse>
  inFlight(): number
  /** Resolves once no invocation of these functions runs. Default: all functions. */
  idle(which?: (target: HostFunction) => boolean): Promise<void>
  /** Fails everything in flight: the worker is dead. */
  workerDied(why: string): void
}

export type InvokerOptions = {
  readonly registry: AppRegistry
  readonly appHookData: object
  readonly log: HostLog
  readonly clock: HostClock
  readonly timeoutMs: number | undefined
  /** The platform ends the worker process at this point, so everything in flight has failed. */
  readonly onTimeout: (functionName: string) => void
}

/** Runs invocations in the steps of the platform's worker, in the same order. */
export function createInvoker(options: InvokerOptions): Invoker {
  const { log, clock } = options
  const running = new Map<Promise<unknown>, HostFunction>()
  let worker = new AbortController()

  const timeOut = (name: string, invocationId: string) => {
    log(
      'error',
      `Function.${name}`,
      `function ${name} ran longer than functionTimeout (${options.timeoutMs} ms): the worker restarts`,
      invocationId,
    )
    workerDied(`the worker was restarted because function ${name} ran longer than functionTimeout`)
    options.onTimeout(name)
  }
  const workerDied = (why: string) => {
    const dying = worker
    worker = new AbortController()
    dying.abort(new HostError(why))
  }

  const invoke = async (target: HostFunction, input: TriggerInput): Promise<InvocationResponse> => {
    const invocationId = randomUUID()
    const startedAt = clock.now()
    const executed = (level: 'information' | 'error', how: string) =>
      log(level, `Function.${target.name}`, `executed ${target.name}: ${how}`, invocationId)
    const over = new AbortController()
    const dead = worker.signal
    if (options.timeoutMs !== undefined) {
      void clock
        .sleep(options.timeoutMs, over.signal)
        .then(() => (over.signal.aborted || dead.aborted ? undefined : timeOut(target.name, invocationId)))
    }
    try {
      const response = await Promise.race([runToLastByte(options, target, input, invocationId, dead), death(dead, over.signal)])
      executed('information', `succeeded in ${clock.now() - startedAt} ms`)
      return response
    } catch (error) {
      executed('error', `failed in ${clock.now() - startedAt} ms: ${messageOf(error)}`)
      throw error
    } finally {
      over.abort()
    }
  }

  return {
    invoke: (target, input) => {
      const run = invoke(target, input)
      const settled = run.catch(() => undefined).finally(() => running.delete(settled))
      running.set(settled, target)
      return run
    },
    inFlight: () => running.size,
    idle: async (which = () => true) => {
      const those = () => [...running].flatMap(([run, target]) => (which(target) ? [run] : []))
      while (those().length > 0) await Promise.all(those())
    },
    workerDied,
  }
}

/** The host asks for the end of the stream first, whatever the worker has said of the handler. */
async function runToLastByte(
  options: InvokerOptions,
  target: HostFunction,
  input: TriggerInput,
  invocationId: string,
  worker: AbortSignal,
): Promise<InvocationResponse> {
  const stream = input.forward?.(invocationId, worker)
  const [steps, bytes] = await Promise.allSettled([runSteps(options, target, input, invocationId), stream])
  if (bytes.status === 'rejected') throw bytes.reason
  if (steps.status === 'rejected') throw steps.reason
  return steps.value
}

async function runSteps(
  options: InvokerOptions,
  target: HostFunction,
  input: TriggerInput,
  invocationId: string,
): Promise<InvocationResponse> {
  const { registry, appHookData } = options
  const model = programmingModel()
  if (model === undefined) throw new HostError('no programming model: the app did not register through @azure/functions')
  const { metadata, callback } = target.registered
  const seen: { context: unknown } = { context: undefined }
  const invocation: CoreInvocation = {
    invocationId,
    request: requestOf(target, input, invocationId),
    metadata: { ...metadata, functionId: metadata.functionId ?? metadata.name },
    state: undefined,
    log: (level, category, message) => {
      const line = runLogHooks(registry.hooks.log, { level, message, category, invocationContext: seen.context })
      options.log(line.level, category === 'user' ? `Function.${target.name}.User` : `Function.${target.name}`, line.message, invocationId)
    },
  }
  const steps = await model.getInvocationModel(invocation)
  const { context, inputs } = await steps.getArguments()
  seen.context = context
  const hookData = {}
  const before = { hookData, appHookData, invocationContext: context, functionCallback: callback, inputs }
  invocation.state = 'preInvocationHooks'
  await runHooks(registry.hooks.preInvocation, before)
  const after: { result: unknown; error: unknown; [member: string]: unknown } = {
    hookData,
    appHookData,
    invocationContext: context,
    inputs: before.inputs,
    result: null,
    error: null,
  }
  invocation.state = 'invocation'
  try {
    after.result = await steps.invokeFunction(context, before.inputs, before.functionCallback)
  } catch (error) {
    after.error = error
  }
  invocation.state = 'postInvocationHooks'
  await runHooks(registry.hooks.postInvocation, after)
  invocation.state = undefined
  if (after.error !== null && after.error !== undefined) throw asError(after.error)
  return steps.getResponse(context, after.result)
}

/** Turns a thrown value into an Error, because handlers may throw anything. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new HostError(`the handler threw ${String(thrown)}`)
}

function requestOf(target: HostFunction, input: TriggerInput, invocationId: string): InvocationRequest {
  const { metadata } = target.registered
  return {
    invocationId,
    functionId: metadata.functionId ?? metadata.name,
    inputData: [{ name: target.triggerName, data: input.data }],
    triggerMetadata: input.metadata ?? {},
    ...(input.retryContext === undefined ? {} : { retryContext: input.retryContext }),
  }
}

async function runHooks(hooks: readonly HookCallback[], context: object): Promise<void> {
  for (const hook of hooks) await hook(context)
}

type LogHookContext = { level: Parameters<HostLog>[0]; message: string; readonly category: string; readonly invocationContext: unknown }

/** Runs the log hooks, which may change level and message. They run synchronously, so that lines keep their order. */
export function runLogHooks(hooks: readonly HookCallback[], context: LogHookContext): LogHookContext {
  for (const hook of hooks) hook(context)
  return context
}

/** Returns a promise that rejects when the worker dies. It stops listening once the invocation is over. */
function death(worker: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    worker.addEventListener('abort', () => reject(worker.reason), { once: true, signal: over })
  })
}
