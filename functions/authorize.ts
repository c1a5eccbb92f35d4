import type { HttpRequest } from '@azure/functions'
import { err, ok, type Result } from '../shared/base/result.ts'
import { clusterId } from '../shared/model/ids.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import type { AppDeps, ClusterRuntime, Right } from './appDeps.ts'

/**
 * Returns the cluster that a request may act on. The token identifies the caller, and only identities named for the cluster and the right are
 * allowed. An unknown cluster and a forbidden cluster are refused with the same answer and the same work, so that no caller learns which clusters
 * exist.
 */
export async function authorize(
  deps: AppDeps,
  request: HttpRequest,
  right: Right,
  signal: AbortSignal,
): Promise<Result<ClusterRuntime, Problem>> {
  const { callers, listedIn } = deps.rights[right]
  const caller = await callers.verify(request.headers.get('authorization') ?? undefined, signal)
  if (!caller.ok) return caller
  const name = request.params['cluster'] ?? ''
  const gate = deps.clusters.get(clusterId(name))
  const who = caller.value.identity
  if (gate?.identities[right].has(who)) return ok(await gate.open(signal))
  const rule = `identity ${who} may not ${right} the state of cluster ${name}`
  return err(problem('INPUT.FORBIDDEN', `${rule}; where it should, name it in ${listedIn} of that cluster in JOINER_CLUSTERS`))
}
