/** How many machines of a pool may be disrupted now for one reason. */
import type { Budget, DisruptionReason, NodePool } from '../../model/nodePool.ts'
import type { Fleet } from '../cluster/fleet.ts'
import type { StateNode } from '../cluster/stateNode.ts'

export type Allowance = {
  readonly remaining: number
  /** The budget that binds. Of several budgets with the least allowance it is the first. */
  readonly budget: Budget
}

/** Without a reason: by the budgets that speak of every reason. Undefined: no budget speaks of the reason. */
export function allowanceOf(pool: NodePool, reason: DisruptionReason | undefined, fleet: Fleet): Allowance | undefined {
  const counted = [...fleet.of(pool.name)].filter(isCounted)
  const disrupting = counted.filter((machine) => machine.isGoing || !isReady(machine)).length
  const values = pool.disruption.budgets
    .filter((budget) => budget.reasons === undefined || (reason !== undefined && budget.reasons.includes(reason)))
    .map((budget) => ({ budget, allowed: allowedBy(budget, counted.length) }))
  // A budget nobody can read allows nothing, whichever reason it was meant for.
  const broken = pool.disruption.budgets.find((budget) => !AMOUNT.test(budget.nodes))
  if (broken !== undefined) return { remaining: 0, budget: broken }
  const [first, ...others] = values
  if (first === undefined) return undefined
  const least = others.reduce((best, each) => (each.allowed < best.allowed ? each : best), first)
  return { remaining: Math.max(0, least.allowed - disrupting), budget: least.budget }
}

const AMOUNT = /^(100|[0-9]{1,2})%$|^[0-9]{1,9}$/

/**
 * A scheduled budget counts as active at all times: it can only keep machines longer than its window asks, never
 * take one away inside it.
 */
function allowedBy({ nodes }: Budget, total: number): number {
  const amount = Number.parseInt(nodes, 10)
  return nodes.endsWith('%') ? Math.ceil((amount * total) / 100) : amount
}

function isCounted(machine: StateNode): boolean {
  if (machine.claim === undefined || !machine.isInitialized) return false
  return !machine.claim.status.conditions.some((each) => each.type === 'InstanceTerminating' && each.status === 'True')
}

function isReady({ node }: StateNode): boolean {
  return node?.conditions.some((each) => each.type === 'Ready' && each.status === 'True') ?? false
}
