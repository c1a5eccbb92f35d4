/** Computes how many machines of a pool may be disrupted now for one reason. */
import { leastOf } from '../../../base/lists.ts'
import { nextOccurrence, previousOccurrence } from '../../../model/cron.ts'
import { unknownText } from '../../../model/inWords.ts'
import { type Budget, DISRUPTION_REASONS, type DisruptionReason, type NodePool } from '../../../model/nodePool.ts'
import { type EpochMs, epochMs, later } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'

export type Allowance = {
  readonly remaining: number
  /** How many machines may be disrupted at a time. Machines that are disrupted already are part of the number. */
  readonly most: number
  /** The budget that binds. Of several budgets with the least allowance it is the first. */
  readonly budget: Budget
}

/** What is needed to count budgets: the machines, and the time. */
type Counting = Pick<FleetSnapshot, 'fleet' | 'takenAt'>

/**
 * What the budgets allow now. Without a reason, only budgets for every reason apply. Undefined if no budget applies now. Nodes that are not ready use
 * up what may go, but not what may be repaired: they are what a repair is for.
 */
export function allowanceOf(pool: NodePool, reason: DisruptionReason | undefined, counting: Counting): Allowance | undefined {
  const { total, disrupting, going } = counting.fleet.disrupted(pool.name)
  const used = reason === 'Unhealthy' ? going : disrupting
  const values = pool.disruption.budgets
    // Stryker disable next-line ConditionalExpression: no list of reasons has an undefined reason in it
    .filter((budget) => budget.reasons === undefined || (reason !== undefined && budget.reasons.includes(reason)))
    .filter((budget) => problemOfBudget(budget) !== undefined || isActive(budget, counting.takenAt))
    .map((budget) => ({ budget, allowed: allowedBy(budget, total) }))
  const [first, ...others] = values
  if (first === undefined) return undefined
  const least = others.reduce((best, each) => (each.allowed < best.allowed ? each : best), first)
  return { remaining: Math.max(0, least.allowed - used), most: least.allowed, budget: least.budget }
}

/** Why the budget cannot be read, with its field. Undefined if it can be read. */
export function problemOfBudget({ nodes, schedule, duration, starts }: Budget): string | undefined {
  if (!AMOUNT.test(nodes)) return `nodes: "${nodes}" is neither a number nor a percentage up to 100%`
  if (starts !== undefined && 'problem' in starts) return `schedule: ${starts.problem}`
  if ((schedule === undefined) !== (duration === undefined)) return 'set both schedule and duration, or neither'
  return undefined
}

/** Why the budget cannot be read as a whole, with its field: `problemOfBudget`, or reasons of a later version. Undefined if it can be read. */
export function findingAboutBudget(budget: Budget): string | undefined {
  const { unknownReasons } = budget
  const problem = problemOfBudget(budget)
  if (problem !== undefined || unknownReasons === undefined) return problem
  return `reasons: ${unknownText(unknownReasons, DISRUPTION_REASONS)}`
}

/** The next time at which a budget of the pool begins or ceases to apply. Undefined if there is none. */
export function nextEdge({ disruption }: NodePool, now: EpochMs): EpochMs | undefined {
  const edges = disruption.budgets.flatMap((budget): readonly EpochMs[] => {
    const { starts, duration } = budget
    if (starts === undefined || duration === undefined || 'problem' in starts) return []
    const next = nextOccurrence(starts, now)
    const last = previousOccurrence(starts, now, duration)
    return [...(next === undefined ? [] : [next]), ...(last === undefined ? [] : [later(last, duration)])]
  })
  return edges.length === 0 ? undefined : epochMs(leastOf(edges))
}

const AMOUNT = /^(100|[0-9]{1,2})%$|^[0-9]{1,9}$/

/** A budget that cannot be read allows nothing for the reasons it names. A reason that is not known may be any reason. */
function allowedBy(budget: Budget, total: number): number {
  if (findingAboutBudget(budget) !== undefined) return 0
  const amount = Number.parseInt(budget.nodes, 10)
  return budget.nodes.endsWith('%') ? Math.ceil((amount * total) / 100) : amount
}

function isActive({ starts, duration }: Budget, now: EpochMs): boolean {
  // Stryker disable next-line ConditionalExpression, LogicalOperator: budgets with one of both are refused before
  if (starts === undefined || duration === undefined) return true
  // Stryker disable next-line StringLiteral: budgets whose schedule has a problem count before they are asked
  return !('problem' in starts) && previousOccurrence(starts, now, duration) !== undefined
}
