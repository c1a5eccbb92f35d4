import { mapBounded, settle } from '../../base/bounded.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import type { ClusterDeps } from './clusterDeps.ts'

/** Calls to one outside system beside each other: enough to hide its answer times, too few to flood it. */
export const CALLS_AT_ONCE = 16

type Told = Pick<ClusterDeps, 'cluster' | 'telemetry'>

/**
 * Does something for each item, a bounded number beside each other. What the outside refuses of one is told, by what `name` calls the item,
 * and keeps no other from being done. False when something was refused.
 */
export async function doEach<Item>(
  deps: Told,
  items: readonly Item[],
  name: (item: Item) => string,
  run: (item: Item) => Promise<unknown>,
): Promise<boolean> {
  const done = await mapBounded(items, CALLS_AT_ONCE, async (item) => {
    const outcome = await settle(() => run(item))
    if (!outcome.ok) tellRefused(deps, name(item), problemOf(outcome.error))
    return outcome.ok
  })
  return done.every((isDone) => isDone)
}

/** What the outside said no to. Anything else that was thrown is a bug, or the end of this process or of its time: it goes on. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Fault) return thrown.problem
  throw thrown
}

export function tellRefused({ cluster, telemetry }: Told, what: string, { code, message }: Problem): void {
  telemetry.warn(`${what} was not done: ${message}`, { cluster, code })
}
