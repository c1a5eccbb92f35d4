import { largestOf } from '../../base/lists.ts'
import { type DecisionContext } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { PodEnds } from './podEnds.ts'

/** When the disruption of nodes with pods is planned next, and after which node it goes on. */
export type DisruptionPace = Pick<DecisionContext, 'disruptionResumesAt' | 'disruptionCursor'>

/** The time between two rounds over all nodes. Karpenter's disruption controller polls at the same interval if nothing happens. */
const BETWEEN_ROUNDS = durationMs(10_000)
/** The shortest time between two rounds. A round that deleted nodes used budget. The next round is due when all of these nodes are drained. */
const BETWEEN_WAVES = durationMs(3_000)

/** The pace after a decision. While nodes of the round wait for their turn, the next decision plans disruption again. */
export function paceAfter({ takenAt, disruptionResumesAt, disruptionCursor }: DecisionContext, { turn }: Decision): DisruptionPace {
  if (disruptionResumesAt !== undefined && disruptionResumesAt > takenAt)
    return { disruptionResumesAt, ...(disruptionCursor === undefined ? {} : { disruptionCursor }) }
  return turn === undefined ? { disruptionResumesAt: later(takenAt, BETWEEN_ROUNDS) } : { disruptionCursor: turn }
}

/**
 * Moves wait while workloads are scaled down: a node that is full now may be empty a moment later, a pod that moves now may be deleted then, and room
 * that is bought now may come free. Karpenter waits 15 seconds before each command.
 */
const SETTLED_AFTER = durationMs(3_000)
const LONGEST_WAIT = durationMs(15_000)
/** Workloads are scaled down if this share of all pods ends. In a large cluster, some pods end at any time. */
const SCALE_DOWN_SHARE = 0.01
/** A pod that is there so long after its deletion time does not end by itself. */
const STUCK_AFTER = durationMs(60_000)

/** The pace of one cluster, from decision to decision. */
export interface PaceKeeper {
  at(now: EpochMs): DisruptionPace
  decided(context: DecisionContext, decision: Decision): void
}

/** What a pace depends on. */
export type Observed = {
  readonly podEnds: Pick<PodEnds, 'since' | 'ending'>
  /** The number of all pods. */
  pods(): number
  /** Reports whether Azure has been asked to delete the machine, or the claim is gone. Such a machine uses up no budget. */
  isDrained(claim: NodeClaimName): boolean
}

type Wave = { readonly claims: readonly NodeClaimName[]; readonly endedAt: EpochMs }

const deletedBy = ({ actions }: Decision): readonly NodeClaimName[] =>
  actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action.claim] : []))

export function createPaceKeeper({ podEnds, pods, isDrained }: Observed): PaceKeeper {
  let pace: DisruptionPace = {}
  /** The claims that the last round deleted, and when the round ended. */
  let wave: Wave = { claims: [], endedAt: epochMs(0) }
  /** Since when a round over the nodes waits although it is due. Undefined while none waits. */
  let waitingSince: EpochMs | undefined

  /** The earliest time at which the scale-down under way can be over. Undefined if there is none. */
  function settlesAt(now: EpochMs): EpochMs | undefined {
    const lately = podEnds.since(epochMs(now - SETTLED_AFTER))
    const ending = podEnds.ending(epochMs(now - STUCK_AFTER))
    const ends = lately.length + ending
    if (ends === 0 || ends < SCALE_DOWN_SHARE * pods()) return undefined
    return later(ending > 0 ? now : epochMs(Math.min(now, largestOf(lately, 0))), SETTLED_AFTER)
  }

  /** Reports whether the next round need not wait: the last round deleted nodes, and all of them are drained. */
  const isWaveOver = (now: EpochMs): boolean =>
    wave.claims.length > 0 && wave.endedAt + BETWEEN_WAVES <= now && wave.claims.every(isDrained)

  return {
    at(now) {
      const { disruptionResumesAt, disruptionCursor } = pace
      if (disruptionCursor !== undefined) return pace
      const isDue = disruptionResumesAt === undefined || disruptionResumesAt <= now
      if (!isDue && !isWaveOver(now)) return pace
      const due = isDue ? pace : {}
      const until = settlesAt(now)
      if (until === undefined) return due
      const resumesAt = epochMs(Math.min(until, later(waitingSince ?? now, LONGEST_WAIT)))
      return resumesAt > now ? { disruptionResumesAt: resumesAt } : due
    },
    decided(context, decision) {
      const { takenAt, disruptionResumesAt } = context
      const waits = disruptionResumesAt !== undefined && disruptionResumesAt > takenAt
      if (!waits) {
        waitingSince = undefined
        wave = { claims: [...(context.disruptionCursor === undefined ? [] : wave.claims), ...deletedBy(decision)], endedAt: takenAt }
      } else if (disruptionResumesAt !== pace.disruptionResumesAt) waitingSince ??= takenAt
      pace = paceAfter(context, decision)
    },
  }
}
