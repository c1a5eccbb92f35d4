import { partition } from '../../base/lists.ts'
import type { Action, ClusterEvent } from '../../model/decision.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { Intent, Ledger } from '../../model/ledger.ts'
import type { PodRef } from '../../model/pod.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { Committed, Progress } from '../ledger/nextLedger.ts'
import { withClaimOutcomes } from '../ledger/refusals.ts'
import { withoutMoves } from '../ledger/rest.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { announceClaim, createClaims, startCommands } from './startCommands.ts'

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

/** The most pods of one decision that get an Event, as many as Karpenter allows at once. Of thousands of similar pods, a few are enough. */
const MOST_TOLD = 10

/** Events that tell pods which claim or node they are nominated for, with Karpenter's reason. */
export function nominationEvents(actions: readonly Action[], state: ClusterState): readonly ClusterEvent[] {
  const meant = actions.flatMap((action): readonly Meant[] => {
    if (action.kind === 'createClaim') return action.pods.map((pod) => ({ pod, claim: action.draft.name }))
    return action.kind === 'nominate' ? action.pods.map((pod) => ({ pod, claim: action.claim })) : []
  })
  // A pod of a disruption command still runs on its old node: it is not pending.
  const waiting = meant.filter(({ pod }) => state.find('pod', pod.key)?.nodeName === undefined)
  return waiting.slice(0, MOST_TOLD).map(({ pod, claim }) => {
    const node = state.find('nodeClaim', claim)?.status.nodeName
    const where = node === undefined ? `nodeclaim/${claim}` : `nodeclaim/${claim}, node/${node}`
    return {
      subject: { kind: 'pod', name: pod.key },
      uid: pod.uid,
      type: 'Normal',
      reason: 'Nominated',
      message: `Pod should schedule on: ${where}`,
      key: claim,
    }
  })
}

type Meant = { readonly pod: PodRef; readonly claim: NodeClaimName }
