/**
 * A value made at the first call and kept; callers that come while it is being made wait for the same one. A failure is
 * not kept: the next call tries again.
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
