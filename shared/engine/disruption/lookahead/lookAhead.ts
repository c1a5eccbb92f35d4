/** Weighs moves of a small cluster by what the decisions after them add up to in the end. */
import type { Sight } from '../../cluster/sight.ts'
import type { Planner } from '../judgeAll.ts'
import { actionsOf, type Move } from '../move.ts'
import { playOut } from './playOut.ts'

/** The largest cluster with look-ahead. Each imagined decision loads the cluster anew, which takes far too much work for a larger cluster. */
const MOST_NODES = 32
const MOST_PODS = 1_000

/** Micro-USD an hour that the moves add in the end, less what they save. The lowest is best. Infinite if the moves do not hold. */
export type ComesTo = (moves: readonly Move[]) => number

/** Undefined if the cluster is too large, or if the end of something under way is unknown. `begun`: what the decision does in any case. */
export function lookAhead(sight: Sight, { imagine, ending }: Planner, begun: readonly Move[]): ComesTo | undefined {
  if (imagine === undefined || sight.commands.length > 0 || ending.size > 0) return undefined
  const machines = fewOf(sight)
  if (machines === undefined) return undefined
  const { fleet: _, objects, ...context } = sight
  const loaded = {
    ...objects,
    node: machines.flatMap(({ node }) => node ?? []),
    nodeClaim: machines.flatMap(({ claim }) => claim ?? []),
    pod: machines.flatMap(({ pods }) => pods),
  }
  return (moves) => playOut(loaded, actionsOf([...begun, ...moves], sight), context, imagine)
}

function fewOf({ fleet }: Sight) {
  const machines = []
  let pods = 0
  for (const machine of fleet.all()) {
    machines.push(machine)
    pods += machine.pods.length
    if (machines.length > MOST_NODES || pods > MOST_PODS || machine.isDeleting || !machine.isInitialized) return undefined
  }
  return machines
}
