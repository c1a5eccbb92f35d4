import { partition } from '../../base/lists.ts'
import type { Intent, Ledger } from '../../model/ledger.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { withClaimOutcomes } from '../ledger/claimRefusals.ts'
import type { Committed, Progress } from '../ledger/committed.ts'
import { withoutMoves } from '../ledger/rememberedMoves.ts'
import { announceClaim } from './announceClaim.ts'
import { createClaims } from './createClaims.ts'
import { startCommands } from './startCommands.ts'

/**
 * Creates the claims of this decision, then claims of earlier decisions that could not be created. Replacements of a disruption command wait until
 * its nodes are marked. Other claims do not wait for them. `marking` settles once the decision has marked its claims: a command writes the claims that
 * it ends, so it starts after that.
 */
export async function makeClaims(
  deps: ClusterDeps,
  committed: Committed,
  marking: Promise<unknown>,
  signal: AbortSignalLike,
): Promise<Progress> {
  const { ledger, snapshot, caughtUp } = committed
  const [unmade, made] = partition(ledger.intents, ({ createdAt }) => createdAt === undefined)
  const [fresh, earlier] = partition(unmade, ({ decision }) => decision === snapshot.decision)
  for (const { action } of fresh) announceClaim(deps, action, committed)
  const [ofMoves, others] = partition([...fresh, ...earlier], ({ action }) => action.command !== undefined)
  const [own, moves] = await Promise.all([
    createClaims(deps, caughtUp.state, others, signal),
    marking.then(() => startCommands(deps, committed, ofMoves, signal)),
  ])
  const intents = [...own.intents, ...moves.intents]
  const refused = [...own.refused, ...moves.refused]
  // Pods of a refused claim get no machine of this decision, so the next one follows at once.
  const isDone = own.intents.every(isMade) && moves.isDone && refused.length === 0
  const hasNews = intents.length !== unmade.length || intents.some(isMade) || moves.commands !== ledger.commands
  const going = new Set(moves.commands.map(({ id }) => id))
  const undone = ledger.commands.filter(({ id }) => !going.has(id))
  const { commands, backOffs } = moves
  const next: Ledger = { ...withoutMoves(ledger, undone), intents: [...made, ...intents], commands, backOffs }
  const outcomes = { made: intents.filter(isMade), refused }
  return { ledger: withClaimOutcomes(hasNews ? next : ledger, caughtUp.state, outcomes, deps.clock.now()), isDone }
}

function isMade({ createdAt }: Intent): boolean {
  return createdAt !== undefined
}
