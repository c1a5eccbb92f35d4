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
  let after = rests
  for (const action of actions) {
    if (action.kind !== 'endCommand') continue
    const isOf = (rest: MoveRest): boolean => isUnderWay(rest, [action.command])
    after =
      action.backOff === undefined
        ? after.map((rest) => (isOf(rest) ? { ...rest, until: later(now, rest.duration) } : rest))
        : restsWithout(after, [action.command])
  }
  return after
}

/** The rests without commands that came to nothing. A rest ends once it has no moved node any more. */
export function restsWithout(rests: readonly MoveRest[], undone: readonly DisruptionCommand[]): readonly MoveRest[] {
  const claims = new Set<NodeClaimName>(undone.flatMap(({ candidates }) => candidates.map(({ claim }) => claim)))
  return rests.flatMap((rest) => {
    const moved = rest.moved.filter((claim) => !claims.has(claim))
    return moved.length === 0 ? [] : [moved.length === rest.moved.length ? rest : { ...rest, moved }]
  })
}
