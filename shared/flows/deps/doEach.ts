import { mapBounded, settle } from '../../base/bounded.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import type { ClusterDeps } from './clusterDeps.ts'

/** The most concurrent calls to one outside system: enough to hide its latency, too few to flood it. */
export const CALLS_AT_ONCE = 16

type Told = Pick<ClusterDeps, 'cluster' | 'telemetry'>

/**
 * Runs an action for each item, a bounded number at a time. A Fault of one item is logged under the name that `name` returns, and the other items
 * are still done. Returns false if an item failed.
 */
export async function doEach<Item>(
  deps: Told,
  items: readonly Item[],
  name: (item: Item) => string,
  run: (item: Item) => Promise<unknown>,
): Promise<boolean> {
  const done = await mapBounded(items, CALLS_AT_ONCE, async (item) => {
    const outcome = await settle(() => run(item))
    if (!outcome.ok) logRefused(deps, name(item), problemOf(outcome.error))
    return outcome.ok
  })
  return done.every((isDone) => isDone)
}

/** The Problem of a thrown Fault. Anything else that was thrown is a bug, or the process or its time ends: it is thrown again. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Fault) return thrown.problem
  throw thrown
}

export function logRefused({ cluster, telemetry }: Told, what: string, { code, message }: Problem): void {
  telemetry.warn(`${what} was not done: ${message}`, { cluster, code })
}
