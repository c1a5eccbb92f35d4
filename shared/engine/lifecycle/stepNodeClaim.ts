/**
 * The life of one claim, with one file for each stage. A stage looks at the observation and returns the next step, or `undefined` if the next
 * stage decides. A step may be repeated at any time: what is done is not done twice.
 */
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { FINALIZER } from '../../model/labels.ts'
import { stepConsistency } from './consistency.ts'
import { stepGeneration } from './generation.ts'
import { stepInitialization } from './initialization.ts'
import { stepLaunch } from './launch.ts'
import { stepLiveness } from './liveness.ts'
import { stepLoss } from './loss.ts'
import { stepRegistration } from './registration.ts'
import { stepTermination } from './termination.ts'

const NOTHING_TO_DO: ClaimStep = { actions: [], reasons: [] }

type Stage = (observation: ClaimObservation) => ClaimStep | undefined

const STAGES: readonly Stage[] = [stepLoss, stepLiveness, stepLaunch, stepRegistration, stepInitialization, stepConsistency, stepGeneration]

/** Returns the next step of a claim. Its actions are applied in order. After them the claim is observed and stepped again. */
export function stepNodeClaim(observation: ClaimObservation): ClaimStep {
  const { claim, now } = observation
  if (claim.meta.deletedAt !== undefined) return claim.meta.finalizers.includes(FINALIZER) ? stepTermination(observation) : NOTHING_TO_DO
  // Nothing is launched before the claim has the finalizer that lets it outlive its own deletion.
  if (!claim.meta.finalizers.includes(FINALIZER)) return { actions: [{ kind: 'addFinalizer' }], reasons: [], wakeAt: now }
  for (const stage of STAGES) {
    const step = stage(observation)
    if (step !== undefined) return step
  }
  return NOTHING_TO_DO
}
