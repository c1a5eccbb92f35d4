/**
 * Returns a function that calls `make` once and keeps the value. Callers that arrive meanwhile wait for the same call. A failure is not kept: the
 * next call tries again.
 */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
