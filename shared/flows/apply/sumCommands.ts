import { defined } from '../../base/defined.ts'
import type { Action } from '../../model/decision.ts'
import type { MovesSum } from '../../model/decisionRecord.ts'
import { microUsdPerHour } from '../../model/units.ts'

/**
 * Sums up the disruption that a decision starts. Undefined if it starts none. A deletion that belongs to a command under way was counted when the
 * command started.
 */
export function sumCommands(actions: readonly Action[]): MovesSum | undefined {
  const moves = actions.flatMap((action): readonly Part[] => {
    if (action.kind === 'startCommand') {
      const { candidates, replacements, saving } = action.command
      const pods = candidates.reduce((sum, each) => sum + each.pods.length, 0)
      return [{ nodes: candidates.length, replacements: replacements.length, pods, saving }]
    }
    if (action.kind !== 'deleteClaim' || action.command !== undefined) return []
    return [{ nodes: 1, replacements: 0, pods: action.pods?.length ?? 0, saving: action.saves?.price }]
  })
  if (moves.length === 0) return undefined
  const sum = (of: (part: Part) => number): number => moves.reduce((total, part) => total + of(part), 0)
  const isPriced = moves.every(({ saving }) => saving !== undefined)
  return defined({
    nodes: sum(({ nodes }) => nodes),
    replacements: sum(({ replacements }) => replacements),
    pods: sum(({ pods }) => pods),
    saving: isPriced ? microUsdPerHour(sum(({ saving = 0 }) => saving)) : undefined,
  })
}

type Part = Omit<MovesSum, 'saving'> & { readonly saving: number | undefined }
