/** Until when a move must be done, and how rests after moves go on while the commands of the moves do. */
import { largestOf } from '../../../base/lists.ts'
import type { Action } from '../../../model/decision.ts'
import type { BackOff, DisruptionCommand, MoveRest } from '../../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../../model/units.ts'
import type { DisruptionBlock } from './sweep.ts'

const MS_FOR_EACH_CANDIDATE = 80
const SHORTEST_DEADLINE_MS = 10 * 60_000
const LONGEST_DEADLINE_MS = 60 * 60_000

/** When a move that begins now must be done. As in Karpenter: clamp(80 ms for each queued candidate, 10 min, 1 h). */
export function commandDeadline(now: EpochMs, queued: number): EpochMs {
  return later(now, durationMs(Math.min(LONGEST_DEADLINE_MS, Math.max(SHORTEST_DEADLINE_MS, MS_FOR_EACH_CANDIDATE * queued))))
}

/** Reports whether the move of the rest still has a command. */
export function isUnderWay({ moved }: MoveRest, commands: readonly DisruptionCommand[]): boolean {
  return commands.some(({ candidates }) => candidates.some(({ claim }) => moved.includes(claim)))
}

/** The rests after these actions: a rest begins anew when a command of its move is done, and ends with a move that came to nothing. */
export function restsAfter(rests: readonly MoveRest[], actions: readonly Action[], now: EpochMs): readonly MoveRest[] {
  let after = withoutUndone(rests, actions)
  for (const action of actions) {
    if (action.kind !== 'endCommand' || action.backOff !== undefined) continue
    after = after.map((rest) => (isUnderWay(rest, [action.command]) ? { ...rest, until: later(now, rest.duration) } : rest))
  }
  return after
}

/** What is remembered of moves, without commands that these actions end undone. */
export function withoutUndone<Remembered extends Moved>(
  remembered: readonly Remembered[],
  actions: readonly Action[],
): readonly Remembered[] {
  const undone = actions.flatMap((action) => (action.kind === 'endCommand' && action.backOff !== undefined ? [action.command] : []))
  return undone.length === 0 ? remembered : without(remembered, undone)
}

type Moved = Pick<MoveRest, 'moved'>

/** What is remembered of moves, without commands that came to nothing. A move is forgotten once it has no moved node any more. */
export function without<Remembered extends Moved>(
  remembered: readonly Remembered[],
  undone: readonly DisruptionCommand[],
): readonly Remembered[] {
  const claims = new Set<NodeClaimName>(undone.flatMap(({ candidates }) => candidates.map(({ claim }) => claim)))
  return remembered.flatMap((each) => {
    const moved = each.moved.filter((claim) => !claims.has(claim))
    return moved.length === 0 ? [] : [moved.length === each.moved.length ? each : { ...each, moved }]
  })
}

/**
 * How long the nodes of a failed move rest the first time. A refusal by live objects comes at once and costs nothing. A replacement that does not
 * come costs minutes and money.
 */
export const FIRST_REST = { refused: durationMs(60_000), failed: durationMs(10 * 60_000) }
const LONGEST_REST_MS = 4 * 3_600_000

/**
 * The rest of a command's nodes. It is twice as long as the last remembered rest in their pools, and four hours at most. Rests of repairs do not
 * lengthen other rests, nor the other way round.
 */
export function backOffOf(command: DisruptionCommand, before: readonly BackOff[], now: EpochMs, first: DurationMs): BackOff {
  const pools = [...new Set(command.candidates.map(({ pool }) => pool))].sort()
  const kind = kindOf(command)
  const isAlike = (each: BackOff): boolean => each.isOfRepair === kind.isOfRepair && each.pools.some((pool) => pools.includes(pool))
  const inPools = before.filter((each) => isRemembered(each, now) && isAlike(each))
  const failures =
    1 +
    largestOf(
      inPools.map((each) => each.failures),
      0,
    )
  const rest = Math.min(LONGEST_REST_MS, first * 2 ** (failures - 1))
  const claims = command.candidates.map(({ claim }) => claim)
  return { claims, pools, failures, failedAt: now, until: later(now, durationMs(rest)), ...kind }
}

function kindOf({ reason }: DisruptionCommand): Pick<BackOff, 'isOfRepair'> {
  return reason === 'Unhealthy' ? { isOfRepair: true } : {}
}

/**
 * The rest of a command that live objects do not allow. A command whose pods could not be read rests for a minute each time, and counts for no other
 * rest: nothing of it failed, and each try taints and untaints its nodes.
 */
export function restOfRefused(command: DisruptionCommand, { unread }: DisruptionBlock, before: readonly BackOff[], now: EpochMs): BackOff {
  if (unread === undefined) return backOffOf(command, before, now, FIRST_REST.refused)
  const claims = command.candidates.map(({ claim }) => claim)
  return { claims, pools: [], failures: 1, failedAt: now, until: later(now, FIRST_REST.refused), unread, ...kindOf(command) }
}

/** Reports whether a rest still counts for the next one. It counts until as much time has passed after it as it lasted. */
export function isRemembered({ failedAt, until }: BackOff, now: EpochMs): boolean {
  return now < until + (until - failedAt)
}

/** Returns the rests of the claim's node that are not over. */
export function restsOf({ name }: NodeClaim, backOffs: readonly BackOff[], now: EpochMs): readonly BackOff[] {
  return backOffs.filter(({ claims, until }) => now < until && claims.includes(name))
}

/** Says why a node rests. */
export function restMessage(rests: readonly BackOff[]): string {
  return rests.every(({ unread }) => unread)
    ? 'its pods could not be read a short while ago'
    : 'a move of its node failed a short while ago'
}
