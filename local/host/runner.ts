import { randomUUID } from 'node:crypto'
import type { HostFunction } from './app/hostFunction.ts'
import { createInvoker, type Forward, type Invoker } from './app/invoker.ts'
import { runWithRetry } from './app/retryPolicy.ts'
import type { InvocationResponse, TriggerMetadata, TypedData } from './app/rpc.ts'
import type { HostClock } from './base/hostClock.ts'
import type { StorageConnection } from './base/storageConnection.ts'
import type { HostApp } from './hostApp.ts'
import { applyQueueOutputs } from './queue/queueOutputs.ts'
import type { TriggerQueue } from './queue/triggerQueue.ts'

/** Outputs are a part of an invocation. */
export type InvocationEvent = { readonly kind: 'began' | 'ended'; readonly id: string; readonly name: string }

export type Runner = Pick<Invoker, 'inFlight' | 'idle' | 'workerDied'> & {
  /** Runs a function as its trigger does, with its retry policy and its output bindings. Rejects if the function fails. */
  run(target: HostFunction, data: TypedData, metadata?: TriggerMetadata, forward?: Forward): Promise<InvocationResponse>
}

export type RunnerOptions = {
  readonly app: HostApp
  readonly clock: HostClock
  readonly queueOf: (connection: StorageConnection, name: string) => TriggerQueue
  /** A function wrote to a queue. */
  readonly written: (queueName: string) => void
  readonly onTimeout: (functionName: string) => void
  readonly onInvocation: (event: InvocationEvent) => void
}

export function createRunner({ app, clock, queueOf, written, onTimeout, onInvocation }: RunnerOptions): Runner {
  const { appHookData, config, log, registry } = app
  const invoker = createInvoker({ registry, appHookData, log, clock, timeoutMs: config.functionTimeoutMs, onTimeout })
  const outputs = { queueOf, encoding: config.queues.messageEncoding, written }
  return {
    run: (target, data, metadata = {}, forward) =>
      runWithRetry(target, clock, async (retryContext) => {
        const of = { id: randomUUID(), name: target.name }
        onInvocation({ kind: 'began', ...of })
        try {
          const response = await invoker.invoke(target, { data, metadata, retryContext, forward })
          await applyQueueOutputs(target, response, outputs)
          return response
        } finally {
          onInvocation({ kind: 'ended', ...of })
        }
      }),
    inFlight: invoker.inFlight,
    idle: invoker.idle,
    workerDied: invoker.workerDied,
  }
}
