// Suites that every implementation of a port passes: the one in memory, so that tests of flows can be believed, and the real one, so that what was
// tested is what runs. A suite takes a factory; each test asks it for a fresh, empty world.
import { expect, onTestFinished } from 'vitest'
import type { Fault } from '../../shared/model/problem.ts'

export const SIGNAL: AbortSignal = new AbortController().signal

/** A signal that has said no already, with this reason. */
export function abortedSignal(reason: unknown): AbortSignal {
  return AbortSignal.abort(reason)
}

export type Closing = { readonly close?: () => Promise<void> | void }

/** Makes the world of one test and ends it with the test. */
export async function fresh<Harness extends Closing>(make: () => Promise<Harness> | Harness): Promise<Harness> {
  const harness = await make()
  onTestFinished(async () => harness.close?.())
  return harness
}

/** The problem of the fault a call ends with. */
export async function faultCodeOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => undefined,
    (error: Partial<Fault>) => error.problem?.code ?? `${error.name}: ${error.message}`,
  )
}

/** The value of a result that must be one. */
export function valueOf<Value>(
  result: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown },
): Value {
  if (!result.ok) expect.fail(`expected a value, got ${JSON.stringify(result.error)}`)
  return result.value
}

/** The code of a result that must be a refusal. */
export function codeOf(result: { readonly ok: true } | { readonly ok: false; readonly error: { readonly code: string } }): string {
  return result.ok ? 'ok' : result.error.code
}
