import { err, ok, type Result } from './result.ts'

/** How one item came out: what `run` gave, or what it threw. */
export type Settled<Value> = Result<Value, unknown>

/**
 * Runs `run` for every item, at most `atOnce` (1 or more) beside each other, and settles each by itself: an item that fails keeps no other
 * from being run. Outcomes stand in the order of the items.
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

/** As `settleBounded`, for callers that can do nothing with a part: once all items have been run, the first failure is thrown. */
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

/** The outcome of one call as a value. A call that throws before it gives a promise settles like one that rejects. */
export async function settle<Value>(run: () => Promise<Value>): Promise<Settled<Value>> {
  try {
    return ok(await run())
  } catch (error) {
    return err(error)
  }
}
