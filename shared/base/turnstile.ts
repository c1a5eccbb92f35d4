/** Lets so many pass at once; the others wait, those of a lower rank first, and of one rank in the order they came. */
export type Turnstile = <Value>(work: () => Promise<Value>, rank?: Rank) => Promise<Value>

/** The order in which work passes: 0 first, 2 last. */
export type Rank = 0 | 1 | 2

/** Each so many places one is for the last rank that waits, so that no work waits for ever. */
const FOR_THE_LAST = 8

/** `atOnce`: 1 or more. Work that fails gives its place up as work that succeeds does. Work without a rank has the middle one. */
export function createTurnstile(atOnce: number): Turnstile {
  const waiting: readonly (() => void)[][] = [[], [], []]
  let inside = 0
  let handedOn = 0

  async function enter(rank: Rank): Promise<void> {
    if (inside < atOnce) inside++
    else await new Promise<void>((resolve) => waiting[rank]?.push(resolve))
  }

  /** Whoever waits takes the place over, so that nobody who comes now is faster. */
  function leave(): void {
    handedOn++
    const isForTheLast = handedOn % FOR_THE_LAST === 0
    const queue = isForTheLast ? waiting.findLast(isSomebodyThere) : waiting.find(isSomebodyThere)
    const next = queue?.shift()
    if (next === undefined) inside--
    else next()
  }

  return async (work, rank = 1) => {
    await enter(rank)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

function isSomebodyThere({ length }: readonly unknown[]): boolean {
  return length > 0
}
