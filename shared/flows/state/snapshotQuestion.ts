import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterLog } from '../../ports/clusterLog.ts'

/** The question to the shim for everything again, as one process knows it. */
export interface SnapshotQuestion {
  /**
   * Asks for what is missing. A process that sees the picture whole takes the question back, since the process that asked may be dead: it looks whether a
   * question stands at its first look, and after each snapshot, which is the answer to one.
   */
  askOrTakeBack(missing: string | undefined, sawSnapshot: boolean, signal: AbortSignalLike): Promise<void>
}

export function createSnapshotQuestion(log: ClusterLog): SnapshotQuestion {
  /** Whether the question stands, whichever process asked it. Undefined: not looked yet. */
  let isAsked: boolean | undefined
  return {
    async askOrTakeBack(missing, sawSnapshot, signal) {
      if (missing === undefined && (isAsked === undefined || sawSnapshot)) isAsked = (await log.snapshotWanted(signal)) !== undefined
      if (missing === undefined && !isAsked) return
      await log.wantSnapshot(missing, signal)
      isAsked = missing !== undefined
    },
  }
}
