/** The verdict on one machine: what moves do with it, or the rule that stops them. */
import { defined } from '../../base/defined.ts'
import type { Decision } from '../../model/decision.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { DisruptionVerdict } from '../../model/disruptionVerdict.ts'
import type { NodeClaimName } from '../../model/ids.ts'

/** `decided` is a decision made from the same snapshot as `commands`. Undefined if nothing was decided about the machine and no move has it. */
export function verdictOn(claim: NodeClaimName, decided: Decision, commands: readonly DisruptionCommand[]): DisruptionVerdict | undefined {
  const holds = ({ candidates }: DisruptionCommand): boolean => candidates.some((each) => each.claim === claim)
  const command = commands.find(holds)
  if (command !== undefined) return { kind: 'moving', command }
  for (const action of decided.actions) {
    if (action.kind === 'deleteClaim' && action.claim === claim) {
      const saving = action.saves?.price
      return defined({ kind: 'next' as const, reason: action.because, nodes: 1, pods: action.pods?.length ?? 0, replacements: [], saving })
    }
    if (action.kind === 'startCommand' && holds(action.command)) {
      const { reason, candidates, replacements, saving } = action.command
      const pods = candidates.reduce((sum, each) => sum + each.pods.length, 0)
      return defined({ kind: 'next' as const, reason, nodes: candidates.length, pods, replacements, saving })
    }
  }
  const against = decided.reasons.find(({ subject }) => subject.kind === 'nodeClaim' && subject.name === claim)
  if (against === undefined) return undefined
  const { code, message, fields } = against
  return defined({ kind: 'stays' as const, code, message, fields })
}
