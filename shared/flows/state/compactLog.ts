import { settle } from '../../base/bounded.ts'
import { Fault } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { tellRefused } from '../deps/doEach.ts'
import type { ClusterReader } from './catchUp.ts'

/**
 * After every look, however it ended: a log that is never compacted is one that no new process can read. Needs no lease, since a checkpoint never takes the
 * place of a later one, and lets looks go on meanwhile.
 */
export async function compactLog(deps: ClusterDeps, reader: ClusterReader, signal: AbortSignalLike): Promise<void> {
  const compacted = await settle(() => reader.compactIfDue(signal))
  if (compacted.ok) return
  if (compacted.error instanceof Fault) tellRefused(deps, 'the compaction of the log', compacted.error.problem)
  else deps.telemetry.error(`the log was not compacted: ${String(compacted.error)}`, { cluster: deps.cluster })
}
