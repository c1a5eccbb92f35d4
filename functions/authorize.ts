import type { HttpRequest } from '@azure/functions'
import { err, ok, type Result } from '../shared/base/result.ts'
import { clusterId } from '../shared/model/ids.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import type { AppDeps, ClusterRuntime } from './appDeps.ts'

/**
 * The cluster a request may speak for. The host has checked the function key already; the token says who calls, and only the
 * identities listed for the cluster may. An unknown cluster and a foreign one are refused alike, so that
 * nobody learns which clusters exist.
 */
export async function authorize(deps: AppDeps, request: HttpRequest, signal: AbortSignal): Promise<Result<ClusterRuntime, Problem>> {
  const caller = await deps.callers.verify(request.headers.get('authorization') ?? undefined, signal)
  if (!caller.ok) return caller
  const name = request.params['cluster'] ?? ''
  const runtime = deps.clusters.get(clusterId(name))
  if (!runtime?.shims.has(caller.value.objectId)) {
    const who = caller.value.objectId
    return err(
      problem('INPUT.FORBIDDEN', `identity ${who} may not speak for cluster ${name}; add it to the cluster's allowedShimIdentities`),
    )
  }
  return ok(runtime)
}
