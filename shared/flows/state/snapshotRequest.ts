/** The request to the shim to send everything again. Whoever misses something stores it in the log, and posts are answered with it. */
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

/** The request as the process knows it that stores and removes it. */
export interface SnapshotRequest {
  /**
   * Stores the request if something is missing. If nothing is missing, it removes the request, since the process that stored it may be dead. For this
   * it reads the stored request on the first call, and after each snapshot, which answers a request.
   */
  requestOrCancel(missing: string | undefined, sawSnapshot: boolean, signal: AbortSignalLike): Promise<void>
}

export function createSnapshotRequest(log: Pick<ClusterLog, 'snapshotRequest' | 'requestSnapshot'>): SnapshotRequest {
  /** Whether a request is stored, by whichever process. Undefined: not read yet. */
  let isAsked: boolean | undefined
  return {
    async requestOrCancel(missing, sawSnapshot, signal) {
      if (missing === undefined && (isAsked === undefined || sawSnapshot)) isAsked = (await log.snapshotRequest(signal)) !== undefined
      if (missing === undefined && !isAsked) return
      await log.requestSnapshot(missing, signal)
      isAsked = missing !== undefined
    },
  }
}
