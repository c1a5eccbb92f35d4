import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterLog } from '../../ports/clusterLog.ts'

/** The request to the shim to send everything again, as one process knows it. */
export interface SnapshotRequest {
  /**
   * Stores the request if something is missing. If nothing is missing, it removes the request, since the process that stored it may be dead. For this
   * it reads the stored request on the first call, and after each snapshot, which answers a request.
   */
  requestOrCancel(missing: string | undefined, sawSnapshot: boolean, signal: AbortSignalLike): Promise<void>
}

export function createSnapshotRequest(log: ClusterLog): SnapshotRequest {
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
