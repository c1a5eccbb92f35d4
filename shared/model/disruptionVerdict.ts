import type { Reason } from './decision.ts'
import type { DisruptionCommand } from './disruptionCommand.ts'
import type { NodeClaimName } from './ids.ts'
import type { DisruptionReason } from './nodePool.ts'
import type { MicroUsdPerHour } from './units.ts'

/** What disruption does with one machine. */
export type DisruptionVerdict =
  /** The machine stays. Holds the first rule that prevented every move of it, with its numbers. */
  | ({ readonly kind: 'stays' } & Pick<Reason, 'code' | 'message' | 'fields'>)
  /** A decision made now removes the machine. */
  | {
      readonly kind: 'next'
      readonly reason: DisruptionReason
      /** Number of nodes that are removed together, including this one, and number of their pods that need another place. */
      readonly nodes: number
      readonly pods: number
      readonly replacements: readonly NodeClaimName[]
      /** Undefined if some price is not known. */
      readonly saving?: MicroUsdPerHour
    }
  /** A disruption command under way removes the machine. */
  | { readonly kind: 'moving'; readonly command: DisruptionCommand }
