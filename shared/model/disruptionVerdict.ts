import type { Reason } from './decision.ts'
import type { DisruptionCommand } from './disruptionCommand.ts'
import type { NodeClaimName } from './ids.ts'
import type { DisruptionReason } from './nodePool.ts'
import type { MicroUsdPerHour } from './units.ts'

/** What moves do with one machine. */
export type DisruptionVerdict =
  /** The first rule that stopped every move of it, with its numbers. */
  | ({ readonly kind: 'stays' } & Pick<Reason, 'code' | 'message' | 'fields'>)
  /** A decision made now takes it. */
  | {
      readonly kind: 'next'
      readonly reason: DisruptionReason
      /** Nodes that go together, this one counted, and their pods that need another place. */
      readonly nodes: number
      readonly pods: number
      readonly replacements: readonly NodeClaimName[]
      /** Absent: some price is not known. */
      readonly saving?: MicroUsdPerHour
    }
  /** A move under way takes it. */
  | { readonly kind: 'moving'; readonly command: DisruptionCommand }
