import { err, ok, type Result } from './result.ts'

/** The outcome of one item: the value that `run` returned, or the error that it threw. */
export type Settled<Value> = Result<Value, unknown>

/**
 * Calls `run` for every item, with at most `atOnce` (1 or more) calls in flight. A failed item does not keep the other items from being run. Returns
 * the outcomes in the order of the items.
 */
export async function settleBounded<Item, Value>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item, index: number) => Promise<Value>,
): Promise<readonly Settled<Value>[]> {
  const outcomes: Settled<Value>[] = []
  const rest = items.entries()
  async function work(): Promise<void> {
    for (const [index, item] of rest) outcomes[index] = await settle(() => run(item, index))
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work))
  return outcomes
}

/** Like `settleBounded`, for callers that can do nothing with a partial result: when all items have been run, throws the first failure. */
export async function mapBounded<Item, Value>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item, index: number) => Promise<Value>,
): Promise<readonly Value[]> {
  const outcomes = await settleBounded(items, atOnce, run)
  return outcomes.map((outcome) => {
    if (!outcome.ok) throw outcome.error
    return outcome.value
  })
}

/** Returns the outcome of one call as a value. A call that throws before it returns a promise settles like a call whose promise rejects. */
export async function settle<Value>(run: () => Promise<Value>): Promise<Settled<Value>> {
  try {
    return ok(await run())
  } catch (error) {
    return err(error)
  }
}

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
