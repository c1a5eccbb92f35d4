import type { NodeClaimName, NodeName, NodePoolName, Uid } from './ids.ts'
import type { DisruptionReason } from './nodePool.ts'
import type { PodRef } from './pod.ts'
import type { DurationMs, EpochMs, MicroUsdPerHour } from './units.ts'

/**
 * A disruption under way: nodes to remove, and NodeClaims that must be initialized first. It is in the ledger until the nodes are deleted or the
 * command fails.
 */
export type DisruptionCommand = {
  /** `<decision number>-<index>`. */
  readonly id: string
  readonly reason: DisruptionReason
  readonly method: 'delete' | 'replace'
  readonly candidates: readonly CommandCandidate[]
  /** Names of the claims that the same decision creates as replacements. */
  readonly replacements: readonly NodeClaimName[]
  /** What the command saves. Undefined if some price is not known. */
  readonly saving?: MicroUsdPerHour
  readonly startedAt: EpochMs
  /** Candidates that are not deleted by then stay. Once all replacements are ready, candidates are tried a little longer. */
  readonly deadline: EpochMs
  /** When all candidates were marked and live objects agreed. Only then replacements are created. Undefined while candidates are not marked. */
  readonly markedAt?: EpochMs
  /** Replacements that were initialized at some time. They count as ready from then on. */
  readonly ready?: readonly NodeClaimName[]
  /** What a repair is made for. Undefined for other reasons. */
  readonly repair?: RepairCause
}

/** The fault of a node, and how long its pods may hold the repair. */
export type RepairCause = {
  /** The condition that asks for the repair, as `Ready=False`. */
  readonly condition: string
  /** The longest drain, from its beginning. Undefined if no policy bounds it. */
  readonly terminationGracePeriod?: DurationMs
}

/** A node that a disruption command removes. */
export type CommandCandidate = {
  readonly claim: NodeClaimName
  readonly uid: Uid
  readonly node: NodeName
  readonly pool: NodePoolName
  readonly price?: MicroUsdPerHour
  /** Pods that the plan has placed elsewhere. Any other pod on the node prevents its removal. */
  readonly pods: readonly PodRef[]
}

/** A failed disruption command. Its nodes are no candidates for a while, which grows with each failure in their pool. */
export type BackOff = {
  readonly claims: readonly NodeClaimName[]
  readonly pools: readonly NodePoolName[]
  /** Number of failures in a row, including this one. */
  readonly failures: number
  readonly failedAt: EpochMs
  readonly until: EpochMs
  /** The pods of its nodes could not be read once they were tainted. A node without pods rests as well then. */
  readonly unread?: true
  /** The command was a repair. Other rests do not hold repairs, and rests of repairs grow by themselves. */
  readonly isOfRepair?: true
}

/** A consolidation move that began within the last hour, of pools with a limit on such moves. */
export type BegunMove = {
  /** The pools of its candidates. */
  readonly pools: readonly NodePoolName[]
  readonly beganAt: EpochMs
}

/** What rests after a move: it is not consolidated until then, and not while the move is under way. */
export type MoveRest = {
  /** The claims of the nodes that the move removes. */
  readonly moved: readonly NodeClaimName[]
  /** The claims of nodes that get pods of the move, replacements included. */
  readonly claims: readonly NodeClaimName[]
  /** The controlling owners of the moved pods. */
  readonly workloads: readonly Uid[]
  readonly duration: DurationMs
  readonly until: EpochMs
}

/** Replacements of a move, of pools with a limit on them. Each is an extra node until one of the moved nodes is gone. */
export type ExtraNodes = {
  /** The pools of the moved nodes. */
  readonly pools: readonly NodePoolName[]
  /** The claims of the moved nodes. */
  readonly moved: readonly NodeClaimName[]
  /** Number of replacements. */
  readonly replacements: number
}
