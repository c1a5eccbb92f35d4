import type { NodeClaimName, NodeName, NodePoolName, Uid } from './ids.ts'
import type { DisruptionReason } from './nodePool.ts'
import type { PodRef } from './podRef.ts'
import type { EpochMs, MicroUsdPerHour } from './units.ts'

/** A move under way: nodes that go, and the NodeClaims that must be initialized before. It stands in the ledger until the nodes end, or stay. */
export type DisruptionCommand = {
  /** `<decision number>-<index>`. */
  readonly id: string
  readonly reason: DisruptionReason
  readonly method: 'delete' | 'replace'
  readonly candidates: readonly CommandCandidate[]
  /** Names of the claims that the same decision creates for it. */
  readonly replacements: readonly NodeClaimName[]
  /** What the move saves. Absent: some price is not known. */
  readonly saving?: MicroUsdPerHour
  readonly startedAt: EpochMs
  /** Candidates that still stand then stay. */
  readonly deadline: EpochMs
  /** All candidates are marked, and live objects agreed: only now the replacements are created. */
  readonly markedAt?: EpochMs
  /** Replacements that were initialized at some time. Once is enough. */
  readonly ready?: readonly NodeClaimName[]
}

/** A node that a command takes away. */
export type CommandCandidate = {
  readonly claim: NodeClaimName
  readonly uid: Uid
  readonly node: NodeName
  readonly pool: NodePoolName
  readonly price?: MicroUsdPerHour
  /** Pods that the plan has placed elsewhere. Another pod on the node holds the node. */
  readonly pods: readonly PodRef[]
}

/** A move came to nothing: its nodes are no candidates for a while, longer each time that it happens in their pool. */
export type BackOff = {
  readonly claims: readonly NodeClaimName[]
  readonly pools: readonly NodePoolName[]
  /** In a row, this one counted. */
  readonly failures: number
  readonly failedAt: EpochMs
  readonly until: EpochMs
}
