/** A bug: an invariant broke. Thrown, and caught by nobody below the entry points. */
export class InternalError extends Error {
  override readonly name = 'InternalError'
}

/** Ends an exhaustive `switch`: a new member of a union that nobody handles does not compile. */
export function assertNever(value: never): never {
  throw new InternalError(`unexpected value ${JSON.stringify(value)}`)
}
