/** Karpenter's methods in its order, one command at a time: empty machines, several machines together, one machine after another. */
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import { isApproved } from './balanced.ts'
import { withinBudgets } from './budgets.ts'
import { type Candidate, candidatesOf } from './candidate.ts'
import { type Command, commandFor, withoutSameSize } from './command.ts'

const MOST_TOGETHER = 100

/** Reports whether a command may be carried out. */
export type Accepts = (snapshot: ClusterSnapshot, command: Command) => boolean

/** The command of the first method that finds one. `accepts`: a rule in addition to Karpenter's own. */
export function nextCommand(snapshot: ClusterSnapshot, accepts: Accepts = () => true): Command | undefined {
  const candidates = candidatesOf(snapshot)
  const empty = withinBudgets(snapshot, candidates.filter(isEmpty), 'Empty')
  if (empty.length > 0) return { candidates: empty, targets: new Map(), saving: empty.reduce((sum, { price }) => sum + price, 0) }
  const busy = candidates.filter((each) => !isEmpty(each) && each.pool.disruption.consolidationPolicy !== 'WhenEmpty')
  const isGood: Accepts = (now, command) => isApproved(now, command) && accepts(now, command)
  return multiNode(snapshot, busy, isGood) ?? singleNode(snapshot, busy, isGood)
}

function isEmpty({ pods }: Candidate): boolean {
  return pods.length === 0
}

/** Binary search for the number of first candidates to disrupt together. Feasibility is not monotone, so the search may miss the best. */
function multiNode(snapshot: ClusterSnapshot, candidates: readonly Candidate[], isGood: Accepts): Command | undefined {
  const may = withinBudgets(snapshot, candidates, 'Underutilized').slice(0, MOST_TOGETHER)
  let best: Command | undefined
  let [low, high] = [1, may.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = commandFor(snapshot, may.slice(0, middle + 1))
    const command = found === undefined ? undefined : withoutSameSize(found)
    if (command !== undefined && isGood(snapshot, command)) {
      best = command
      low = middle + 1
    } else high = middle - 1
  }
  return best
}

function singleNode(snapshot: ClusterSnapshot, candidates: readonly Candidate[], isGood: Accepts): Command | undefined {
  for (const candidate of inTurn(candidates)) {
    if (withinBudgets(snapshot, [candidate], 'Underutilized').length === 0) continue
    const command = commandFor(snapshot, [candidate])
    if (command !== undefined && isGood(snapshot, command)) return command
  }
  return undefined
}

/** The candidates of all pools in rotation, so that no pool waits for all others. */
function inTurn(candidates: readonly Candidate[]): readonly Candidate[] {
  const pools = [...Map.groupBy(candidates, ({ pool }) => pool).values()]
  const longest = Math.max(0, ...pools.map(({ length }) => length))
  return Array.from({ length: longest }).flatMap((_, at) => pools.flatMap((own) => own[at] ?? []))
}
