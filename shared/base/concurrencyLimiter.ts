/** Limits how many pieces of work run at a time. Other work waits. A lower rank goes first. Within a rank, work passes in the order of arrival. */
export type ConcurrencyLimiter = <Value>(work: () => Promise<Value>, rank?: Rank) => Promise<Value>

/** The order in which work passes: 0 first, 3 last. */
export type Rank = 0 | 1 | 2 | 3

/** Every eighth free place goes to the work that has waited longest, whatever its rank. So no work waits for ever. */
const FOR_THE_OLDEST = 8

type Waiting = { readonly number: number; readonly pass: () => void }

/** `atOnce` is 1 or more. Work that fails frees its place like work that succeeds. Work without a rank has rank 2. */
export function createConcurrencyLimiter(atOnce: number): ConcurrencyLimiter {
  const ranks: readonly Waiting[][] = [[], [], [], []]
  let inside = 0
  let came = 0
  let handedOn = 0

  async function enter(rank: Rank): Promise<void> {
    if (inside < atOnce) inside++
    else await new Promise<void>((pass) => ranks[rank]?.push({ number: came++, pass }))
  }

  /** Passes the place to waiting work. Work that arrives now queues behind the work of its rank. */
  function leave(): void {
    handedOn++
    const waiting = ranks.filter(({ length }) => length > 0)
    const next = (handedOn % FOR_THE_OLDEST === 0 ? oldest(waiting) : waiting[0])?.shift()
    if (next === undefined) inside--
    else next.pass()
  }

  return async (work, rank = 2) => {
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
