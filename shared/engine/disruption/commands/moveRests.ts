/** How rests after moves go on while the commands of the moves do. */
import type { Action } from '../../../model/decision.ts'
import type { DisruptionCommand, MoveRest } from '../../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import { type EpochMs, later } from '../../../model/units.ts'

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
