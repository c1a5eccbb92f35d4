import type { NodeClaimName } from '../../model/ids.ts'
import type { EpochMs } from '../../model/units.ts'

/** What Azure, or a node, says about the end or a pause of a machine. */
export type Interruption = {
  readonly claim: NodeClaimName
  /** A notice from a node counts only for a spot machine, which Azure may evict at any time. A notice from Azure counts for the machine it names. */
  readonly saidBy: 'node' | 'azure'
  /** Resource id of the machine. Absent in notices from a node. */
  readonly resourceId?: string
  /** `announced`: the machine ends soon. `happened`: it is gone already. `passing`: it is paused, restarted or moved, and stays. */
  readonly when: 'announced' | 'happened' | 'passing'
  /** The machine may be evicted from this time on. Absent: the time is unknown, so it may be evicted at once. */
  readonly notBefore?: EpochMs
  readonly eventId: string
  /** Azure's name of the notice or annotation. */
  readonly reason: string
}
