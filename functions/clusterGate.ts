import type { HttpRequest } from '@azure/functions'
import { settleBounded } from '../shared/base/concurrency.ts'
import { canonicalJson } from '../shared/base/json.ts'
import { err, ok, type Result } from '../shared/base/result.ts'
import type { ClusterFacts } from '../shared/model/clusterFacts.ts'
import { type ClusterId, clusterId } from '../shared/model/ids.ts'
import { Fault, type Problem, problem } from '../shared/model/problem.ts'
import type { AbortSignalLike } from '../shared/ports/clock.ts'
import type { ClusterFactsSource } from '../shared/ports/clusterFactsSource.ts'
import type { ClusterConfig } from '../shared/wire/clusterConfig.ts'
import { type ClusterEntry, overridesOf, resolveCluster } from '../shared/wire/clusterEntry.ts'
import type { AppDeps, ClusterGate, ClusterRuntime, Right } from './appDeps.ts'

export type GateDeps = {
  readonly entry: ClusterEntry
  readonly facts: ClusterFactsSource
  readonly build: (config: ClusterConfig) => ClusterRuntime
  readonly identities: ClusterGate['identities']
}

/**
 * Creates the gate of a cluster. Its runtime is built at the first use, and again when the facts from Azure change. An invocation under way keeps the
 * runtime that it started with, as an invocation in another process would.
 */
export function createClusterGate({ entry, facts, build, identities }: GateDeps): ClusterGate {
  const { id } = entry
  let built: { readonly from: string; readonly runtime: ClusterRuntime } | undefined
  /** The facts and runtime of the last `open`. Every message opens the cluster, so an unchanged cluster is answered from here. */
  let seen: { readonly facts: ClusterFacts | undefined; readonly runtime: ClusterRuntime } | undefined
  return {
    id,
    identities,
    noticeTopic: entry.eventGridTopicId?.toLowerCase(),
    facts,
    overrides: overridesOf(entry),
    async open(signal) {
      const { read, problem } = await facts.load(signal)
      if (seen !== undefined && seen.facts === read?.facts) return seen.runtime
      const config = resolveCluster(entry, read?.facts)
      if (!config.ok) throw unknown(id, read === undefined ? problem : undefined, config.error)
      const from = canonicalJson(config.value)
      if (built?.from !== from) built = { from, runtime: build(config.value) }
      seen = { facts: read?.facts, runtime: built.runtime }
      return built.runtime
    },
  }
}

/** Returns the error of a cluster whose fields are missing. If Azure could not be read, that problem is the cause and is reported instead. */
function unknown(id: ClusterId, unread: Problem | undefined, missing: readonly Problem[]): Fault {
  const [first] = missing
  const problem = unread ?? first
  if (problem === undefined) throw new TypeError('a cluster is unknown without a problem')
  const message = unread === undefined ? missing.map((each) => each.message).join('; ') : problem.message
  return new Fault(`learn what cluster ${id} is like`, { ...problem, message })
}

/** Number of clusters that are opened at a time. */
export const CLUSTERS_AT_ONCE = 16

/**
 * Returns the first cluster that matches. A cluster that cannot be opened does not stop the search. If no cluster matches and one could not be
 * opened, throws the error of that cluster.
 */
export async function findCluster(
  gates: Iterable<ClusterGate>,
  isMeant: (runtime: ClusterRuntime) => boolean,
  signal: AbortSignalLike,
): Promise<ClusterRuntime | undefined> {
  const outcomes = await settleBounded([...gates], CLUSTERS_AT_ONCE, (gate) => gate.open(signal))
  const found = outcomes.find((outcome) => outcome.ok && isMeant(outcome.value))
  if (found?.ok === true) return found.value
  const unopened = outcomes.find((outcome) => !outcome.ok)
  if (unopened?.ok === false) throw unopened.error
  return undefined
}

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
