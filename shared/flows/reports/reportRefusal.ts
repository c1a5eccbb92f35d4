import { warning } from '../../engine/lifecycle/ending.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/**
 * Reports that the API server refused a write for the claim, because of a policy or a validation rule of the CRD. The step is tried again at the pace
 * of its requeues, so nothing else has to be done once the rule is fixed.
 */
export async function reportRefusal(deps: ClusterDeps, claim: NodeClaim, problem: Problem, signal: AbortSignalLike): Promise<void> {
  const message = `a step of nodeclaim ${claim.name} was refused: ${problem.message}`
  deps.telemetry.warn(message, { cluster: deps.cluster, claim: claim.name, code: problem.code, path: problem.path })
  await deps.api.publish({ ...warning(claim, 'StepRefused', message), key: 'StepRefused' }, signal)
}
