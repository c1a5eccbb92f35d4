/**
 * The life of one claim, with one file for each stage. A stage looks at the observation and returns the next step, or `undefined` if the next
 * stage decides. A step may be repeated at any time: what is done is not done twice.
 */
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { claimOfInstanceName, type MachineNames, type NodeClaimName } from '../../model/ids.ts'
import { FINALIZER } from '../../model/labels.ts'
import { isManaged, type Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { stateNodes } from '../cluster/stateNode.ts'
import { isConsistencyKnown, stepConsistency, stepInitialization } from './initialization.ts'
import { stepGeneration, stepLaunch } from './launch.ts'
import { stepLiveness, stepLoss } from './liveness.ts'
import { isReady } from './nodeState.ts'
import { stepReboot } from './reboot.ts'
import { stepRegistration } from './registration.ts'
import { stepTermination } from './termination.ts'

const NOTHING_TO_DO: ClaimStep = { actions: [], reasons: [] }

type Stage = (observation: ClaimObservation) => ClaimStep | undefined

const STAGES: readonly Stage[] = [
  stepLoss,
  stepReboot,
  stepLiveness,
  stepLaunch,
  stepRegistration,
  stepInitialization,
  stepConsistency,
  stepGeneration,
]

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

/**
 * Claims that count as settled although their node is gone, is being deleted, is not ready, or differs from what the claim says about it. Also claims
 * that left a node behind. Nothing looks at these claims again by itself, and their machine may be gone as well.
 */
export function unhealthyClaims(nodes: readonly Node[], claims: readonly NodeClaim[], names: MachineNames): readonly NodeClaimName[] {
  return stateNodes({ node: nodes, nodeClaim: claims, pod: [] }).flatMap(({ node, claim }) => {
    if (claim === undefined) return (node && leftBehindBy(node, names)) ?? []
    if (claim.meta.deletedAt !== undefined) return []
    const isWell = node !== undefined && node.meta.deletedAt === undefined && isReady(node) && isConsistencyKnown(claim, node)
    const wasReady = claim.status.conditions.some(({ type, status }) => type === 'Initialized' && status === 'True')
    return isWell || !wasReady ? [] : [claim.name]
  })
}

/** The claim from which a node without a claim came. Undefined for a ready node: its machine runs, and garbage collection ends it. */
function leftBehindBy(node: Node, names: MachineNames): NodeClaimName | undefined {
  const isLeft = isManaged(node) && node.meta.finalizers.includes(FINALIZER) && !isReady(node)
  return isLeft ? claimOfInstanceName(node.name, names) : undefined
}
