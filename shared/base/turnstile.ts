/** Runs a bounded number of pieces of work beside each other. Others wait. A lower rank goes first; within a rank, the order is that of arrival. */
export type Turnstile = <Value>(work: () => Promise<Value>, rank?: Rank) => Promise<Value>

/** The order in which work passes: 0 first, 2 last. */
export type Rank = 0 | 1 | 2

/** Every eighth place goes to the work that has waited longest, of any rank. So no work waits for ever. */
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

  /** Hands the place to work that waits. Work that arrives now stands behind its rank. */
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
