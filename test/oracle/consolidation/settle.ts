/** Carries out Karpenter's commands one after another, each as simulated, until there are no more. */
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import { type Command, cheapestOutcome } from './command.ts'
import { type Accepts, nextCommand } from './consolidate.ts'
import { later, nodeOfClaim, withBound, withMachine, withoutMachines } from './standing.ts'

const MOST_COMMANDS = 200

/** The final cluster and the commands that were carried out. */
export type Settled = { readonly snapshot: ClusterSnapshot; readonly commands: readonly Command[] }

/** `accepts`: a rule for commands in addition to Karpenter's own. */
export function settleByOracle(given: ClusterSnapshot, accepts?: Accepts): Settled {
  const commands: Command[] = []
  let snapshot = given
  while (commands.length < MOST_COMMANDS) {
    const command = nextCommand(snapshot, accepts)
    if (command === undefined) return { snapshot, commands }
    snapshot = later(carryOut(snapshot, command, commands.length))
    commands.push(command)
  }
  throw new Error(`the oracle did not come to an end within ${MOST_COMMANDS} commands`)
}

export function carryOut(snapshot: ClusterSnapshot, { candidates, targets, replacement }: Command, number: number): ClusterSnapshot {
  const freed = withoutMachines(snapshot, new Set(candidates.map(({ claim }) => claim.name)))
  const places = new Map([...targets].flatMap(([node, pods]) => pods.map((pod) => [pod, nodeOfClaim(freed, node)] as const)))
  if (replacement === undefined) return withBound(freed, places)
  const claim = { ...replacement.claim, name: `${replacement.claim.pool}-oracle-${number}` }
  const made = withMachine(freed, claim, cheapestOutcome(replacement))
  return withBound(made, new Map([...places, ...claim.pods.map((pod) => [pod, nodeOfClaim(made, claim.name)] as const)]))
}
