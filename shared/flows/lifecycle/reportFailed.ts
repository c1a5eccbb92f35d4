import { settle } from '../../base/bounded.ts'
import { defined } from '../../base/defined.ts'
import { reportFailedStep } from '../../engine/lifecycle/failedStep.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { Problem } from '../../model/problem.ts'
import { traceIn } from '../../model/trace.ts'
import type { ClaimRequest, WorkKey } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { logRefused, problemOf } from '../deps/doEach.ts'
import { failureOf, tellFailing } from '../reports/failingWork.ts'

/**
 * Reports on a claim that a step of it failed. The report may fail for the same cause. Then only the log has it, and the next failed step tries
 * again.
 */
export async function reportFailed(deps: ClusterDeps, name: NodeClaimName, failed: Problem, signal: AbortSignalLike): Promise<void> {
  const told = await settle(() => writeFailed(deps, name, failed, signal))
  if (!told.ok) logRefused(deps, `an event about the failed step of nodeclaim ${name}`, problemOf(told.error))
}

/** Says that the work of a key fails again and again. A claim says it itself, too, so that its readers need no log. Never rejects. */
export async function reportFailing(
  deps: ClusterDeps,
  { key, request }: { readonly key: WorkKey; readonly request?: Pick<ClaimRequest, 'claim'> },
  thrown: unknown,
  signal: AbortSignalLike,
): Promise<void> {
  const failed = failureOf(thrown)
  const claim = request?.claim
  tellFailing(deps.telemetry, defined({ cluster: deps.cluster, key, claim }), failed)
  if (claim === undefined) return
  const told = await settle(() => reportFailed(deps, claim, failed, signal))
  if (!told.ok) deps.telemetry.error(`nodeclaim ${claim} could not be told of it: ${String(told.error)}`, { cluster: deps.cluster })
}

async function writeFailed(deps: ClusterDeps, name: NodeClaimName, failed: Problem, signal: AbortSignalLike): Promise<void> {
  const claim = await deps.api.getClaim(name, signal)
  if (claim === undefined || !isOurs(claim.spec.nodeClassRef)) return
  const about = { cluster: deps.cluster, nodePool: claim.meta.labels[LABEL.nodePool], nodeClaim: name, errorCode: failed.code }
  deps.telemetry.event('nodeclaim.failed', about, traceIn(claim))
  for (const action of reportFailedStep({ claim, now: deps.clock.now(), settings: deps.settings }, failed)) {
    if (action.kind === 'publish') await deps.api.publish(action.event, signal)
    // Another writer was faster. The next failed step reports it.
    else if (!(await deps.api.patchClaimStatus(claim, action.status, signal)).ok) return
  }
}
