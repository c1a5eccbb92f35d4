import { byKey } from '../../base/order.ts'
import type { Action } from '../../model/decision.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { problemOfBudget } from './budgets.ts'

/** Events about budgets that cannot be read. They hold machines for their own reasons alone. */
export function tellBrokenBudgets(pools: readonly NodePool[]): readonly Action[] {
  const ours = pools.filter(({ template }) => isOurs(template.nodeClassRef))
  return ours.sort(byKey(({ name }) => name)).flatMap(({ name, meta, disruption }) =>
    disruption.budgets.flatMap((budget, index): readonly Action[] => {
      const problem = problemOfBudget(budget)
      if (problem === undefined) return []
      const held = budget.reasons === undefined ? 'any reason' : budget.reasons.join(', ')
      const message = `nodepool ${name}: spec.disruption.budgets[${index}].${problem}; no node is disrupted for ${held} until it is corrected`
      const subject = { kind: 'nodePool', name } as const
      return [{ kind: 'publish', event: { subject, uid: meta.uid, type: 'Warning', reason: 'DisruptionBlocked', message } }]
    }),
  )
}
