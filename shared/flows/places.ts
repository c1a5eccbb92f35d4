/** So many places for work: what finds none waits for its turn. */
export interface Places {
  /** Runs the work once there is a place for it; settles as it does. */
  within<Value>(work: () => Promise<Value>): Promise<Value>
}

export function createPlaces(count: number): Places {
  let free = count
  const waiting: (() => void)[] = []

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) free++
    else next()
  }

  return {
    async within(work) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => void waiting.push(resolve))
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
