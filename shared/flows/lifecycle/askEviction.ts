import type { Result } from '../../base/result.ts'
import type { Pod } from '../../model/pod.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { measureEviction } from '../reports/claimMetrics.ts'

const STATUS = { evicted: 200, gone: 404 } as const

/** Asks for an eviction and counts the answer. A pod whose name another pod has by now counts as gone. */
export async function askEviction(
  deps: Pick<ClusterDeps, 'api' | 'cluster' | 'telemetry'>,
  pod: Pod,
  signal: AbortSignalLike,
): Promise<Result<'evicted' | 'gone', Problem>> {
  try {
    const evicted = await deps.api.evict(pod, signal)
    measureEviction(deps, evicted.ok ? STATUS[evicted.value] : statusOf(evicted.error))
    return evicted
  } catch (cause) {
    if (cause instanceof Fault) measureEviction(deps, statusOf(cause.problem))
    throw cause
  }
}

/** The HTTP status of an answer, `none` if no server answered. */
function statusOf({ fields }: Problem): string {
  return String(fields?.['status'] ?? 'none')
}
