import type { Action } from '../../../model/decision.ts'

type End = Extract<Action, { readonly kind: 'deleteClaim' | 'expireClaim' | 'repairClaim' | 'scaleDownClaim' }>

const ENDS: ReadonlySet<Action['kind']> = new Set<End['kind']>(['deleteClaim', 'expireClaim', 'repairClaim', 'scaleDownClaim'])

/** The names of the claims that the actions end at once. Candidates of a command that starts are not among them. */
export function endedBy(actions: readonly Action[]): ReadonlySet<string> {
  return new Set(actions.flatMap((action) => (isEnd(action) ? [action.claim] : [])))
}

function isEnd(action: Action): action is End {
  return ENDS.has(action.kind)
}

/** The names of the claims that the action moves away: it deletes a claim, or starts a command with candidates. */
export function claimsMovedBy(action: Action): readonly string[] {
  if (action.kind === 'deleteClaim') return [action.claim]
  return action.kind === 'startCommand' ? action.command.candidates.map(({ claim }) => claim) : []
}
