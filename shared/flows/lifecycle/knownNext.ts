import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { takesAway } from './observeKnown.ts'
import { isOnItsWayIn } from './seenClaims.ts'

/** What the actions of a step came to. */
export type AppliedAll = {
  /** Something is different now, which is news to a later look. */
  readonly changed: boolean
  /** As far as it was written. */
  readonly observation: ClaimObservation
  /** `raced`: another writer was faster, look again. `wait`: looking again at once would only repeat what was done. */
  readonly ended: 'done' | 'raced' | 'wait'
  /** It raced for the node alone. */
  readonly isOfNode?: true
  /** Pods of a drain were not let go. */
  readonly isHeld?: true
  /** In place of the step's own times. */
  readonly wakeAt?: EpochMs
  readonly dueAt?: EpochMs
}

/** What the next round may go by without looking. */
export async function nextKnown(
  deps: ClusterDeps,
  applied: AppliedAll,
  step: ClaimStep,
  signal: AbortSignalLike,
): Promise<ClaimObservation | undefined> {
  return applied.isOfNode ? withNodeOfNow(deps, applied.observation, signal) : goesOn(deps, applied, step)
}

/**
 * What was just written is what is known now. A claim that ends is looked at live before each step, and so is one
 * whose launch came to nothing: what can be bought is another question by then.
 */
function goesOn({ clock }: ClusterDeps, { ended, observation }: AppliedAll, step: ClaimStep): ClaimObservation | undefined {
  if (ended !== 'done' || observation.claim.meta.deletedAt !== undefined || takesAway(step)) return undefined
  return step.actions.some(({ kind }) => kind === 'launch') ? undefined : { ...observation, now: clock.now() }
}

/**
 * A node that starts is written by many, and so its patch is what loses most races: of a claim on its way in only the node is read again. A node
 * that is gone says more than that, and is for a look at everything.
 */
async function withNodeOfNow(
  deps: ClusterDeps,
  observation: ClaimObservation,
  signal: AbortSignalLike,
): Promise<ClaimObservation | undefined> {
  const [before, ...others] = observation.nodes
  if (before === undefined || others.length > 0 || !isOnItsWayIn(observation.claim)) return undefined
  const node = await deps.api.getNode(before.name, signal)
  return node?.meta.uid === before.meta.uid ? { ...observation, nodes: [node], now: deps.clock.now() } : undefined
}
