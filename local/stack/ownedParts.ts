/** The parts that a start has begun. They are ended in reverse order. */
export interface OwnedParts {
  /** Takes over a part. If the end has begun meanwhile, the part is ended at once and the start fails. */
  own(end: () => unknown): Promise<void>
  /** Ends every part. A second call waits for the first. */
  close(): Promise<void>
  /** Aborted when the end begins, before the first part is ended. */
  readonly ending: AbortSignal
}

export function createOwnedParts(): OwnedParts {
  const ends: (() => unknown)[] = []
  const ending = new AbortController()
  let closing: Promise<void> | undefined

  async function endAll(): Promise<void> {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
  }

  return {
    async own(end) {
      if (closing === undefined) {
        ends.push(end)
        return
      }
      await end()
      throw new DOMException('the stack was stopped while it started', 'AbortError')
    },
    ending: ending.signal,
    close() {
      ending.abort()
      closing ??= endAll()
      return closing
    },
  }
}
