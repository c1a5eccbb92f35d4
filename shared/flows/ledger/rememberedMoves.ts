/** Moves that the ledger remembers for the calm settings. What no decision depends on any more is forgotten. */
import { defined } from '../../base/defined.ts'
import { isUnderWay, restsAfter, without, withoutUndone } from '../../engine/disruption/commands/moveRests.ts'
import { isWithinHour } from '../../engine/disruption/waves/hourlyMoves.ts'
import type { Decision } from '../../model/decision.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { Ledger } from '../../model/ledger.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { EpochMs } from '../../model/units.ts'

type Remembered = Pick<Ledger, 'begunMoves' | 'moveRests' | 'extraNodes'>

export function rememberedIn({ begunMoves, moveRests, extraNodes }: Remembered): Remembered {
  return defined({ begunMoves, moveRests, extraNodes })
}

type After = {
  readonly now: EpochMs
  /** The commands after the decision. */
  readonly commands: readonly DisruptionCommand[]
  readonly claims: readonly Pick<NodeClaim, 'name'>[]
}

export function rememberedAfter(before: Remembered, decided: Decision, { now, commands, claims }: After): Remembered {
  const begun = [...(before.begunMoves ?? []), ...(decided.begunMoves ?? [])].filter((each) => isWithinHour(each, now))
  const rests = [...restsAfter(before.moveRests ?? [], decided.actions, now), ...(decided.moveRests ?? [])]
  const resting = rests.filter((rest) => now < rest.until || isUnderWay(rest, commands))
  const standing = new Set(claims.map(({ name }) => name))
  const extra = [...withoutUndone(before.extraNodes ?? [], decided.actions), ...(decided.extraNodes ?? [])].filter(({ moved }) =>
    moved.some((claim) => standing.has(claim)),
  )
  return defined({ begunMoves: unlessEmpty(begun), moveRests: unlessEmpty(resting), extraNodes: unlessEmpty(extra) })
}

/** The ledger without what is remembered of commands that came to nothing before they moved a pod. Their begin times stay. */
export function withoutMoves(ledger: Ledger, undone: readonly DisruptionCommand[]): Ledger {
  const { moveRests = [], extraNodes = [], ...others } = ledger
  const left = { moveRests: unlessEmpty(without(moveRests, undone)), extraNodes: unlessEmpty(without(extraNodes, undone)) }
  return { ...others, ...defined(left) }
}

function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items
}
