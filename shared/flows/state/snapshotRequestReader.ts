import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { ClusterLog } from '../../ports/clusterLog.ts'

/** Returns why the shim is asked to send everything again. Undefined if it is not asked. */
export type SnapshotRequestReader = (signal: AbortSignalLike) => Promise<string | undefined>

/** How long an answer of the storage is used. The shim gets a request this much later at most. It posts several times a second while much changes. */
const TRUSTED_MS = 1_000

/** Reads the storage once a second at most while nothing is wanted. To read it for each post would cost as many reads as appends. */
export function createSnapshotRequestReader(log: Pick<ClusterLog, 'snapshotRequest'>, clock: Clock): SnapshotRequestReader {
  let unwantedAt: number | undefined
  return async (signal) => {
    const now = clock.now()
    // If the clock went back, the storage is read.
    if (unwantedAt !== undefined && now >= unwantedAt && now - unwantedAt < TRUSTED_MS) return undefined
    const wanted = await log.snapshotRequest(signal)
    unwantedAt = wanted === undefined ? now : undefined
    return wanted
  }
}
