import { byKey } from '../../base/order.ts'
import type { Action } from '../../model/decision.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { timeoutProblems } from '../../model/timeouts.ts'
import { problemOfBudget } from './budgets.ts'

/** Events about what pools say and nobody can read: budgets, which hold machines for their own reasons alone, and time-outs, which count as absent. */
export function tellBrokenRules(pools: readonly NodePool[]): readonly Action[] {
  const ours = pools.filter(({ template }) => isOurs(template.nodeClassRef))
  return ours.sort(byKey(({ name }) => name)).flatMap((pool) => [...ofBudgets(pool), ...ofTimeouts(pool)])
}

function ofTimeouts({ name, meta, template }: NodePool): readonly Action[] {
  const subject = { kind: 'nodePool', name } as const
  return timeoutProblems(template.annotations).map((problem): Action => {
    const message = `nodepool ${name}: spec.template.metadata.${problem}`
    return { kind: 'publish', event: { subject, uid: meta.uid, type: 'Warning', reason: 'InvalidAnnotation', message } }
  })
}

function ofBudgets({ name, meta, disruption }: NodePool): readonly Action[] {
  return disruption.budgets.flatMap((budget, index): readonly Action[] => {
    const problem = problemOfBudget(budget)
    if (problem === undefined) return []
    const held = budget.reasons === undefined ? 'any reason' : budget.reasons.join(', ')
    const message = `nodepool ${name}: spec.disruption.budgets[${index}].${problem}; no node is disrupted for ${held} until it is corrected`
    const subject = { kind: 'nodePool', name } as const
    return [{ kind: 'publish', event: { subject, uid: meta.uid, type: 'Warning', reason: 'DisruptionBlocked', message } }]
  })
}
