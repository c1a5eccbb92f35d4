/** What a start has begun and an end has to undo, in reverse. */
export interface OwnedParts {
  /** Takes a part over. When the end has come meanwhile, the part is ended at once and the start fails. */
  own(end: () => unknown): Promise<void>
  /** Ends every part; a second call waits for the first. */
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
