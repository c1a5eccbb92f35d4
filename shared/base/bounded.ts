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
