/** The outcome of an operation that may fail in an expected way: a value, or the error as a value. */
export type Result<Value, Failure> = Ok<Value> | Err<Failure>
export type Ok<Value> = { readonly ok: true; readonly value: Value }
export type Err<Failure> = { readonly ok: false; readonly error: Failure }

export function ok<Value>(value: Value): Ok<Value> {
  return { ok: true, value }
}

export function err<Failure>(error: Failure): Err<Failure> {
  return { ok: false, error }
}

/** A bug: an invariant does not hold. No code below the entry points catches it. */
export class InternalError extends Error {
  override readonly name = 'InternalError'
}

/** Ends an exhaustive `switch`: a union member without a case is a compile error. */
export function assertNever(value: never): never {
  throw new InternalError(`unexpected value ${JSON.stringify(value)}`)
}

/** The message of what was thrown. Anything can be thrown, not only an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Returns the text of a thrown value, with its causes. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = error.message === '' ? error.name : error.message
  return error.cause === undefined ? text : `${text}: ${textOf(error.cause)}`
}
