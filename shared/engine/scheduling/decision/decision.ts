/** The plan as a Decision: actions, reasons, and when to look again. */
import { leastOf } from '../../../base/lists.ts'
import type { Action, CreateClaim, Decision, Nominate } from '../../../model/decision.ts'
import { refOf } from '../../../model/podRef.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../../model/units.ts'
import type { Assignment } from '../choice/assign.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import type { Batch } from '../model/batch.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import { filledBins } from './filledBins.ts'
import { type Refused, refusalEvents, refusalReasons, refuseClass, refuseShortage } from './refusals.ts'

/** The Decision that the plan amounts to. `isReal` is false for pods that stand for the room of a CapacityBuffer. */
export function decisionOf(provisioning: Provisioning, context: DecisionContext, isReal: Batch['isReal']): Decision {
  const { problem, plan } = provisioning
  const assignment = provisioning.assigned()
  const claims = draftClaims(provisioning, isReal)
  const unplaced = [...assignment.unplaced].map(([podClass, pods]) =>
    refuseClass(podClass, pods, plan, problem.pools.refused, problem.axes),
  )
  plan.work.named += podsIn(problem)
  const onExistingNodes = assignment.onExistingNodes.filter(({ pod }) => isReal(pod))
  const refused = [...problem.refused, ...unplaced, ...claims.refused].map((each) => ({ ...each, pods: each.pods.filter(isReal) }))
  return asDecision(
    context,
    onExistingNodes,
    claims.actions,
    refused.filter(({ pods }) => pods.length > 0),
  )
}

function podsIn({ classes, refused }: Provisioning['problem']): number {
  return classes.reduce((sum, { count }) => sum + count, 0) + refused.reduce((sum, { pods }) => sum + pods.length, 0)
}

type Claims = { readonly actions: readonly CreateClaim[]; readonly refused: readonly Refused[] }

function draftClaims(provisioning: Provisioning, isReal: Batch['isReal']): Claims {
  const actions: CreateClaim[] = []
  const refused: Refused[] = []
  for (const { bin, pods, drafted } of filledBins(provisioning, isReal)) {
    if ('action' in drafted) actions.push(drafted.action)
    else refused.push(refuseShortage(pods, bin.narrowedTemplate.template.pool.name, drafted.shortages))
  }
  return { actions, refused }
}

function asDecision(
  context: DecisionContext,
  onExistingNodes: Assignment['onExistingNodes'],
  claims: readonly CreateClaim[],
  refused: readonly Refused[],
): Decision {
  const actions: readonly Action[] = [...claims, ...nominations(onExistingNodes), ...refusalEvents(refused)]
  const wakeAt = wakeFor(context, refused)
  return { actions, reasons: refusalReasons(refused), ...(wakeAt === undefined ? {} : { wakeAt }) }
}

/** One nomination for each claim that pods go to. Pods that go to a node without a claim need none: kube-scheduler binds them. */
function nominations(onExistingNodes: Assignment['onExistingNodes']): readonly Nominate[] {
  const onClaims = onExistingNodes.flatMap(({ pod, existingNode: { claim } }) => (claim === undefined ? [] : [{ pod: refOf(pod), claim }]))
  const byClaim = Map.groupBy(onClaims, ({ claim }) => claim)
  return [...byClaim].map(([claim, own]) => ({ kind: 'nominate', claim, pods: own.map(({ pod }) => pod) }))
}

/** When the next decision looks at postponed pods, if nothing else causes a decision before. */
const RETRY_AFTER = durationMs(10_000)

/** When to decide again: when the first refused offering may be tried again, if a pod lacks an offering, or when postponed pods are due. */
function wakeFor({ unavailable, takenAt }: DecisionContext, refused: readonly Refused[]): EpochMs | undefined {
  const isOffering = refused.some(({ why }) => (why.per ?? []).some((each) => each.code === 'SCHEDULING.OFFERING'))
  const ends = isOffering ? unavailable.map((each) => each.until).filter((until) => until > takenAt) : []
  const retry = refused.some(({ why }) => why.isPostponed === true) ? [later(takenAt, RETRY_AFTER)] : []
  const times = [...ends, ...retry]
  return times.length === 0 ? undefined : epochMs(leastOf(times))
}
