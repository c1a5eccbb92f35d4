/** Lets so many pass at once; the others wait, those of a lower rank first, and of one rank in the order they came. */
export type Turnstile = <Value>(work: () => Promise<Value>, rank?: Rank) => Promise<Value>

/** The order in which work passes: 0 first, 2 last. */
export type Rank = 0 | 1 | 2

/** One of so many places goes to the work that waits longest, whatever its rank, so that no work waits for ever. */
const FOR_THE_OLDEST = 8

type Waiting = { readonly number: number; readonly pass: () => void }

/** `atOnce`: 1 or more. Work that fails gives its place up as work that succeeds does. Work without a rank has the middle one. */
export function createTurnstile(atOnce: number): Turnstile {
  const ranks: readonly Waiting[][] = [[], [], []]
  let inside = 0
  let came = 0
  let handedOn = 0

  async function enter(rank: Rank): Promise<void> {
    if (inside < atOnce) inside++
    else await new Promise<void>((pass) => ranks[rank]?.push({ number: came++, pass }))
  }

  /** Work that waits takes the place over, so that work which comes now passes nobody of its rank. */
  function leave(): void {
    handedOn++
    const waiting = ranks.filter(({ length }) => length > 0)
    const next = (handedOn % FOR_THE_OLDEST === 0 ? oldest(waiting) : waiting[0])?.shift()
    if (next === undefined) inside--
    else next.pass()
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

function oldest(waiting: readonly Waiting[][]): Waiting[] | undefined {
  const numberOf = ([first]: readonly Waiting[]): number => first?.number ?? Number.POSITIVE_INFINITY
  return waiting.reduce<Waiting[] | undefined>(
    (best, each) => (best === undefined || numberOf(each) < numberOf(best) ? each : best),
    undefined,
  )
}
