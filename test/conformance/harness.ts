// Suites that every implementation of a port passes. The implementation in memory passes them, so that tests of flows are credible. The real
// implementation passes them, so that the tested behaviour is the running one. A suite takes a factory. Each test gets a new, empty harness from it.
import { expect, onTestFinished } from 'vitest'
import type { Fault } from '../../shared/model/problem.ts'

export const SIGNAL: AbortSignal = new AbortController().signal

/** A signal that is aborted already, with this reason. */
export function abortedSignal(reason: unknown): AbortSignal {
  return AbortSignal.abort(reason)
}

export type Closing = { readonly close?: () => Promise<void> | void }

/** Makes the harness of one test and closes it when the test ends. */
export async function fresh<Harness extends Closing>(make: () => Promise<Harness> | Harness): Promise<Harness> {
  const harness = await make()
  onTestFinished(async () => harness.close?.())
  return harness
}

/** The problem code of the fault that the call throws. Undefined if the call succeeds. */
export async function faultCodeOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => undefined,
    (error: Partial<Fault>) => error.problem?.code ?? `${error.name}: ${error.message}`,
  )
}

/** The value of a result. Fails the test if the result is an error. */
export function valueOf<Value>(
  result: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown },
): Value {
  if (!result.ok) expect.fail(`expected a value, got ${JSON.stringify(result.error)}`)
  return result.value
}

/** The error code of a result, or `ok`. */
export function codeOf(result: { readonly ok: true } | { readonly ok: false; readonly error: { readonly code: string } }): string {
  return result.ok ? 'ok' : result.error.code
}
