/** Moves that the ledger remembers for the calm settings. What no decision depends on any more is forgotten. */
import { defined } from '../../base/defined.ts'
import { isUnderWay, restsAfter, restsWithout } from '../../engine/disruption/commands/moveRests.ts'
import { isWithinHour } from '../../engine/disruption/hourlyMoves.ts'
import type { Decision } from '../../model/decision.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { Ledger } from '../../model/ledger.ts'
import type { EpochMs } from '../../model/units.ts'

type Remembered = Pick<Ledger, 'begunMoves' | 'moveRests'>

export function rememberedIn({ begunMoves, moveRests }: Remembered): Remembered {
  return defined({ begunMoves, moveRests })
}

/** `commands`: the commands after the decision. */
export function rememberedAfter(
  before: Remembered,
  decided: Decision,
  { now, commands }: { readonly now: EpochMs; readonly commands: readonly DisruptionCommand[] },
): Remembered {
  const begun = [...(before.begunMoves ?? []), ...(decided.begunMoves ?? [])].filter((each) => isWithinHour(each, now))
  const rests = [...restsAfter(before.moveRests ?? [], decided.actions, now), ...(decided.moveRests ?? [])]
  const resting = rests.filter((rest) => now < rest.until || isUnderWay(rest, commands))
  return defined({ begunMoves: begun.length === 0 ? undefined : begun, moveRests: resting.length === 0 ? undefined : resting })
}

/** The ledger without the rests of commands that came to nothing before they moved a pod. */
export function withoutRestsOf(ledger: Ledger, undone: readonly DisruptionCommand[]): Ledger {
  const { moveRests, ...others } = ledger
  if (moveRests === undefined) return ledger
  const left = restsWithout(moveRests, undone)
  return left.length === 0 ? others : { ...others, moveRests: left }
}
