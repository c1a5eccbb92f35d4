import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { ClusterLog } from '../../ports/clusterLog.ts'

/** Whether the shim is asked to send everything again, and why. */
export type SnapshotWanted = (signal: AbortSignalLike) => Promise<string | undefined>

/** A question may wait so long for the shim: it posts several times a second while much changes. */
const TRUSTED_MS = 1_000

/** Asks storage once a second at most, as long as nothing is wanted: with each post it would be as many reads as there are appends. */
export function createSnapshotWanted(log: Pick<ClusterLog, 'snapshotWanted'>, clock: Clock): SnapshotWanted {
  let unwantedAt: number | undefined
  return async (signal) => {
    const now = clock.now()
    // A clock that went back says nothing.
    if (unwantedAt !== undefined && now >= unwantedAt && now - unwantedAt < TRUSTED_MS) return undefined
    const wanted = await log.snapshotWanted(signal)
    unwantedAt = wanted === undefined ? now : undefined
    return wanted
  }
}
