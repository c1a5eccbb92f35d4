import { settle } from '../../base/bounded.ts'
import { Fault } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { logRefused } from '../deps/doEach.ts'
import type { ClusterReader } from './catchUp.ts'

/**
 * Compacts the log if that is due. Called after every reconcile, failed or not, because a log that is never compacted gets too long for a new process
 * to read. It needs no lease, since a checkpoint never replaces a later one. Decisions may run meanwhile.
 */
export async function compactLog(deps: ClusterDeps, reader: ClusterReader, signal: AbortSignalLike): Promise<void> {
  const compacted = await settle(() => reader.compactIfDue(signal))
  if (compacted.ok) return
  if (compacted.error instanceof Fault) logRefused(deps, 'the compaction of the log', compacted.error.problem)
  else deps.telemetry.error(`the log was not compacted: ${String(compacted.error)}`, { cluster: deps.cluster })
}
