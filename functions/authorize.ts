import type { HttpRequest } from '@azure/functions'
import { err, ok, type Result } from '../shared/base/result.ts'
import { clusterId } from '../shared/model/ids.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import type { AppDeps, ClusterRuntime, Right } from './appDeps.ts'

/**
 * The cluster a request may speak for, or be told about. The token says who
 * calls, and only the identities named for the cluster and the right may. An unknown cluster and a foreign one are refused
 * alike and with the same work, so that nobody learns which clusters exist.
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
