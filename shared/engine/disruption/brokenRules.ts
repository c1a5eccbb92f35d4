import type { DecisionSettings } from '../../model/clusterSnapshot.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { problemOfBudget } from './budgets/budgets.ts'
import { calmOf } from './waves/calm.ts'

/**
 * The disruption rules of the pool that cannot be read: for each the field, the problem, and what is not disrupted meanwhile. A budget holds nodes
 * only for its own reasons.
 */
export function brokenRules(pool: NodePool, settings: Pick<DecisionSettings, 'calm'>): readonly string[] {
  const calm = calmOf(pool, settings)
  return [
    ...pool.disruption.budgets.flatMap((budget, index) => {
      const problem = problemOfBudget(budget)
      const held = budget.reasons === undefined ? 'any reason' : budget.reasons.join(', ')
      return problem === undefined ? [] : [says(`spec.disruption.budgets[${index}].${problem}`, `no node is disrupted for ${held}`)]
    }),
    ...('problem' in calm ? [says(calm.problem, 'no node is moved')] : []),
  ]
}

function says(problem: string, held: string): string {
  return `${problem}; ${held} until that is corrected`
}
