import { defined } from '../../base/defined.ts'
import { addAll, leastOf } from '../../base/lists.ts'
import { byText } from '../../base/order.ts'
import type { Action, ClusterEvent, Decision, Reason } from '../../model/decision.ts'
import type { LaunchChoice } from '../../model/launchPlan.ts'
import type { Node } from '../../model/node.ts'
import type { Budget } from '../../model/nodePool.ts'
import { type EpochMs, epochMs, formatPrice } from '../../model/units.ts'
import type { Sight } from '../cluster/sight.ts'
import type { claimsExpectingPods } from '../scheduling/claimsExpectingPods.ts'
import { tellBrokenBudgets } from './brokenBudgets.ts'
import { allowanceOf, nextEdge } from './budgets.ts'
import { type Candidate, candidatesOf, choiceOf, protectionOf, quietAt, reasonOf } from './candidate.ts'

/**
 * Which machines to take away now: those nobody uses, as far as policies and budgets let them go. Where pods without a place would go is
 * asked only when a machine is empty, since it takes a plan.
 */
export function decideDisruption(sight: Sight, expecting: () => Expected): Decision {
  const empty = candidatesOf(sight.fleet.empty(), sight)
  const told = tellBrokenBudgets(sight.objects.nodePool)
  if (empty.length === 0) return { actions: told, reasons: [] }
  const expected = expecting()
  const reasons: Reason[] = []
  const wakes: EpochMs[] = []
  const ready: Candidate[] = []
  for (const candidate of empty) {
    const kept = whyKept(candidate, sight, expected)
    if (kept === undefined) ready.push(candidate)
    else if ('code' in kept) reasons.push(kept)
    else wakes.push(kept.until)
  }
  const allowances = new Map(sight.objects.nodePool.map((pool) => [pool, allowanceOf(pool, 'Empty', sight)]))
  const actions: Action[] = [...told]
  for (const { candidate, choice } of dearestFirst(ready, sight)) {
    const allowance = allowances.get(candidate.pool)
    if (allowance?.remaining === 0) reasons.push(overBudget(candidate, allowance.budget))
    else {
      if (allowance !== undefined) allowances.set(candidate.pool, { ...allowance, remaining: allowance.remaining - 1 })
      addAll(actions, endEmpty(candidate, choice))
    }
  }
  for (const pool of new Set(ready.map((candidate) => candidate.pool))) {
    const edge = nextEdge(pool, sight.takenAt)
    if (edge !== undefined) wakes.push(edge)
  }
  const sorted = reasons.sort((first, second) => byText(first.subject.name, second.subject.name))
  return { actions, reasons: sorted, ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
}

type Quieting = { readonly until: EpochMs }

function whyKept(candidate: Candidate, sight: Sight, expected: Expected): Reason | Quieting | undefined {
  const { claim, pool } = candidate
  const protection = protectionOf(candidate, sight)
  if (protection !== undefined) return protection
  const expects = expected.get(claim.name)
  if (expects !== undefined) return reasonOf(claim, 'DISRUPTION.NOMINATED', EXPECTS[expects])
  const quiet = quietAt(candidate)
  if (quiet === undefined) return reasonOf(claim, 'DISRUPTION.POLICY', `nodepool ${pool.name} never consolidates (consolidateAfter: Never)`)
  return quiet > sight.takenAt ? { until: quiet } : undefined
}

type Expected = ReturnType<typeof claimsExpectingPods>

/** Whether or not anybody promised it yet. */
const EXPECTS = { pods: 'a pending pod fits on it', buffers: 'a capacity buffer keeps its room' } as const

type Priced = { readonly candidate: Candidate; readonly choice: LaunchChoice | undefined }

function dearestFirst(candidates: readonly Candidate[], sight: Sight): readonly Priced[] {
  return candidates
    .map((candidate) => ({ candidate, choice: choiceOf(candidate, sight) }))
    .sort(
      (first, second) =>
        (second.choice?.price ?? 0) - (first.choice?.price ?? 0) || byText(first.candidate.claim.name, second.candidate.claim.name),
    )
}

function overBudget({ claim, pool }: Candidate, { nodes, schedule }: Budget): Reason {
  if (schedule === undefined) {
    return reasonOf(claim, 'DISRUPTION.BUDGET', `nodepool ${pool.name} lets no more nodes go for reason Empty (nodes: ${nodes})`)
  }
  const message = `nodepool ${pool.name} lets no more nodes go for reason Empty while its budget with schedule ${schedule} counts (nodes: ${nodes})`
  return reasonOf(claim, 'DISRUPTION.WINDOW', message)
}

function endEmpty({ claim, node }: Candidate, choice: LaunchChoice | undefined): readonly Action[] {
  const saving = choice?.price === undefined ? '' : `; saves ${formatPrice(choice.price)}`
  const event = {
    subject: { kind: 'nodeClaim', name: claim.name },
    uid: claim.meta.uid,
    type: 'Normal',
    reason: 'DisruptionTerminating',
    message: `Empty: no pods need nodeclaim ${claim.name}${saving}`,
  } as const
  return [
    defined({ kind: 'deleteClaim' as const, claim: claim.name, uid: claim.meta.uid, because: 'Empty' as const, saves: choice }),
    { kind: 'publish', event },
    { kind: 'publish', event: aboutNode(node, event) },
  ]
}

/** The same about the node: whoever describes it does not look at its claim. */
function aboutNode({ name, meta }: Node, event: ClusterEvent): ClusterEvent {
  return { ...event, subject: { kind: 'node', name }, uid: meta.uid }
}
