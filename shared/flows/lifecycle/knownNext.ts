import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { takesAway } from './observeKnown.ts'
import { isInitializing } from './seenClaims.ts'

/** The outcome of the actions of a step. */
export type AppliedAll = {
  /** True if something was changed that a later run may act on. */
  readonly changed: boolean
  /** The observation with the objects as far as they were written. */
  readonly observation: ClaimObservation
  /** `raced`: another writer was faster, so look again. `wait`: to look again at once would only repeat what was done. */
  readonly ended: 'done' | 'raced' | 'wait'
  /** Only a write of the node was lost. */
  readonly isOfNode?: true
  /** Evictions of pods were refused. */
  readonly isHeld?: true
  /** These times replace the times of the step. */
  readonly wakeAt?: EpochMs
  readonly dueAt?: EpochMs
}

/** The observation that the next step may use without a live read. Undefined if it must read. */
export async function nextKnown(
  deps: ClusterDeps,
  applied: AppliedAll,
  step: ClaimStep,
  signal: AbortSignalLike,
): Promise<ClaimObservation | undefined> {
  return applied.isOfNode ? withNodeOfNow(deps, applied.observation, signal) : goesOn(deps, applied, step)
}

/**
 * The observation with what was just written. Undefined for a claim that is being deleted, which is read live before each step. Undefined also after
 * a launch, since the offerings that can be bought may have changed.
 */
function goesOn({ clock }: ClusterDeps, { ended, observation }: AppliedAll, step: ClaimStep): ClaimObservation | undefined {
  if (ended !== 'done' || observation.claim.meta.deletedAt !== undefined || takesAway(step)) return undefined
  return step.actions.some(({ kind }) => kind === 'launch') ? undefined : { ...observation, now: clock.now() }
}

/**
 * The observation with its node read again. A starting node has many writers, so its patch loses most races. For a claim that is not initialized it
 * is enough to read the node again. Undefined if the node is gone: then everything must be read.
 */
async function withNodeOfNow(
  deps: ClusterDeps,
  observation: ClaimObservation,
  signal: AbortSignalLike,
): Promise<ClaimObservation | undefined> {
  const [before, ...others] = observation.nodes
  if (before === undefined || others.length > 0 || !isInitializing(observation.claim)) return undefined
  const node = await deps.api.getNode(before.name, signal)
  return node?.meta.uid === before.meta.uid ? { ...observation, nodes: [node], now: deps.clock.now() } : undefined
}
