/** Lets so many pass at once; the others wait in the order they came. */
export type Turnstile = <Value>(work: () => Promise<Value>) => Promise<Value>

/** `atOnce`: 1 or more. Work that fails gives its place up as work that succeeds does. */
export function createTurnstile(atOnce: number): Turnstile {
  const waiting: (() => void)[] = []
  let inside = 0

  async function enter(): Promise<void> {
    if (inside < atOnce) inside++
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }

  /** Who waits longest takes the place over, so that nobody who comes now is faster. */
  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) inside--
    else next()
  }

  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
