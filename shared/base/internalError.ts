/** A bug: an invariant does not hold. No code below the entry points catches it. */
export class InternalError extends Error {
  override readonly name = 'InternalError'
}

/** Ends an exhaustive `switch`: a union member without a case is a compile error. */
export function assertNever(value: never): never {
  throw new InternalError(`unexpected value ${JSON.stringify(value)}`)
}
