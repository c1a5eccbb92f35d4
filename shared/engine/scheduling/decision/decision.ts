/** The plan as a Decision: actions, reasons, and when to look again. */
import { inOrder, largestOf, leastOf, type Order } from '../../../base/lists.ts'
import { defined } from '../../../base/values.ts'
import { type DecisionContext } from '../../../model/clusterSnapshot.ts'
import type { Action, CreateClaim, Decision, Nominate, ProvisioningCursor } from '../../../model/decision.ts'
import type { Uid } from '../../../model/ids.ts'
import { refOf } from '../../../model/pod.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../../model/units.ts'
import { createAddresses } from '../../cluster/subnetAddresses.ts'
import type { Assignment } from '../choice/newPlan.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import type { Batch } from '../model/placementProblem.ts'
import { inQueueOrder } from '../model/pods/podsToPlace.ts'
import { type Refused, refusalEvents, refusalReasons, refuseAddress, refuseBin, refuseClass } from './refusals.ts'
import { type FilledBin, filledBins, type Kinds } from './room.ts'
import { type Watched, watchScheduler } from './schedulerRefusals.ts'

/** The Decision that the plan amounts to. */
export function decisionOf(provisioning: Provisioning, context: DecisionContext, kinds: Kinds): Decision {
  const { problem, plan } = provisioning
  const assignment = provisioning.assigned()
  const claims = draftClaims(provisioning, kinds)
  const unplaced = [...assignment.unplaced].map(([podClass, pods]) =>
    refuseClass(podClass, pods, plan, problem.pools.refused, problem.axes, context.leftOutSizes),
  )
  plan.work.named += podsIn(problem)
  const cursor = cursorOf(provisioning, context, kinds.isReal)
  const onExistingNodes = assignment.onExistingNodes.filter(({ pod }) => kinds.isReal(pod))
  const refused = [...problem.refused, ...unplaced, ...claims.refused].map((each) => ({ ...each, pods: each.pods.filter(kinds.isReal) }))
  const decision = asDecision(
    context,
    onExistingNodes,
    claims.actions,
    refused.filter(({ pods }) => pods.length > 0),
    cursor,
  )
  const isWaiting = claims.actions.length > 0 || onExistingNodes.some(({ existingNode }) => existingNode.stage !== 0)
  return withWatched(decision, watchScheduler(problem.cluster, context, { onExistingNodes, isPlanned: plannedIn(problem), isWaiting }))
}

/** The decision with what it found about pods that kube-scheduler does not bind. */
export function withWatched(decision: Decision, { schedulerRefusals, wakeAt }: Watched): Decision {
  const times = [decision.wakeAt, wakeAt].filter((time) => time !== undefined)
  return defined({ ...decision, schedulerRefusals, wakeAt: times.length === 0 ? undefined : epochMs(leastOf(times)) })
}

/** Reports whether the plan is about the pod. Worked out when first asked. */
function plannedIn({ classes, refused }: Provisioning['problem']): (pod: Uid) => boolean {
  let uids: ReadonlySet<Uid> | undefined
  return (pod) => {
    uids ??= new Set([...classes.flatMap(({ pods }) => pods()), ...refused.flatMap(({ pods }) => pods)].map(({ uid }) => uid))
    return uids.has(pod)
  }
}

function podsIn({ classes, refused }: Provisioning['problem']): number {
  return classes.reduce((sum, { count }) => sum + count, 0) + refused.reduce((sum, { pods }) => sum + pods.length, 0)
}

type Claims = { readonly actions: readonly CreateClaim[]; readonly refused: readonly Refused[] }

function draftClaims(provisioning: Provisioning, kinds: Kinds): Claims {
  const actions: CreateClaim[] = []
  const refused: Refused[] = []
  const { bins, full } = withinSubnets(filledBins(provisioning, kinds), provisioning.problem.context)
  for (const { filled, subnet } of full) refused.push(refuseAddress(filled.pods, subnet))
  for (const { bin, pods, drafted } of bins) {
    if ('action' in drafted) actions.push(drafted.action)
    else refused.push(refuseBin(pods, bin.narrowedTemplate.template.pool.name, drafted))
  }
  return { actions, refused }
}

function asDecision(
  context: DecisionContext,
  onExistingNodes: Assignment['onExistingNodes'],
  claims: readonly CreateClaim[],
  refused: readonly Refused[],
  provisioningCursor: ProvisioningCursor | undefined,
): Decision {
  const actions: readonly Action[] = [...claims, ...nominations(onExistingNodes), ...refusalEvents(refused)]
  const goesOn = claims.length > 0 || (provisioningCursor !== undefined && isFurther(provisioningCursor, context))
  const wakeAt = wakeFor(context, refused, goesOn)
  return defined({ actions, reasons: refusalReasons(refused), wakeAt, provisioningCursor })
}

/** One nomination for each claim that pods go to. Pods that go to a node without a claim need none: kube-scheduler binds them. */
function nominations(onExistingNodes: Assignment['onExistingNodes']): readonly Nominate[] {
  const onClaims = onExistingNodes.flatMap(({ pod, existingNode: { claim } }) => (claim === undefined ? [] : [{ pod: refOf(pod), claim }]))
  const byClaim = Map.groupBy(onClaims, ({ claim }) => claim)
  return [...byClaim].map(([claim, own]) => ({ kind: 'nominate', claim, pods: own.map(({ pod }) => pod) }))
}

/** The first real pod that has had no turn in this decision, in the order in which the pods had their turns. */
function cursorOf({ plan, assigned }: Provisioning, context: DecisionContext, isReal: Batch['isReal']): ProvisioningCursor | undefined {
  if (plan.postponed.size === 0) return undefined
  const { unplaced } = assigned()
  const waiting = [...plan.postponed].filter(([podClass, because]) => because === 'SCHEDULING.DEADLINE' && !plan.refused.has(podClass))
  const pods = waiting.flatMap(([podClass]) => (unplaced.get(podClass) ?? []).find(isReal) ?? [])
  const [first] = pods.sort(inOrder(byTurn(context), inQueueOrder))
  return first === undefined ? undefined : { requests: first.requests, createdAt: first.createdAt, uid: first.uid }
}

/** Pods from the cursor of the decision before on have their turn before the others. */
function byTurn({ provisioningCursor: from }: DecisionContext): Order<ProvisioningCursor> {
  const turnOf = (pod: ProvisioningCursor): number => (from === undefined || inQueueOrder(pod, from) >= 0 ? 0 : 1)
  return (one, other) => turnOf(one) - turnOf(other)
}

/** When the next decision looks at postponed pods, if nothing else causes a decision before. */
const RETRY_AFTER = durationMs(10_000)

/** Reports whether pods behind the cursor have had no turn since planning last began with the first pod. */
function isFurther(cursor: ProvisioningCursor, { provisioningCursor: from }: DecisionContext): boolean {
  return from === undefined || inQueueOrder(cursor, from) > 0
}

/**
 * When to decide again: at once, if pods wait for their turn and the turns go on; when the first refused offering or NodeClaim may be tried again, if a pod lacks one;
 * or when postponed pods are due. */
function wakeFor(context: DecisionContext, refused: readonly Refused[], goesOn: boolean): EpochMs | undefined {
  const { unavailable, claimRefusals = [], takenAt } = context
  if (goesOn && refused.some(({ why }) => why.code === 'SCHEDULING.DEADLINE')) return takenAt
  const lacks = (code: ProblemCode): boolean => refused.some(({ why }) => (why.per ?? []).some((each) => each.code === code))
  const blocks = [...(lacks('SCHEDULING.OFFERING') ? unavailable : []), ...(lacks('SCHEDULING.CLAIM_REFUSED') ? claimRefusals : [])]
  const ends = blocks.map((each) => each.until).filter((until) => until > takenAt)
  const retry = refused.some(({ why }) => why.isPostponed === true) ? [later(takenAt, RETRY_AFTER)] : []
  const times = [...ends, ...retry]
  return times.length === 0 ? undefined : epochMs(leastOf(times))
}

/** `full`: bins whose subnet has no address left, with its id. */
export type WithinSubnets = {
  readonly bins: readonly FilledBin[]
  readonly full: readonly { readonly filled: FilledBin; readonly subnet: string }[]
}

/**
 * A subnet may have addresses for fewer machines than the plan has claims. The most important pods get them, and the others wait. Splits the bins of
 * a plan into bins that may become claims, in their order, and bins without an address.
 */
function withinSubnets(filled: readonly FilledBin[], { subnetRooms }: Pick<DecisionContext, 'subnetRooms'>): WithinSubnets {
  if (subnetRooms === undefined) return { bins: filled, full: [] }
  const addresses = createAddresses(subnetRooms)
  const without = new Map<FilledBin, string>()
  for (const each of filled.toSorted((one, other) => priorityOf(other) - priorityOf(one))) {
    const drafts = 'action' in each.drafted ? [each.drafted.action.draft] : []
    const subnet = addresses.fullFor(drafts)
    if (subnet === undefined) addresses.take(drafts)
    else without.set(each, subnet)
  }
  const full = [...without].map(([each, subnet]) => ({ filled: each, subnet }))
  return { bins: filled.filter((each) => !without.has(each)), full }
}

function priorityOf({ pods }: FilledBin): number {
  return largestOf(
    pods.map(({ priority }) => priority),
    Number.MIN_SAFE_INTEGER,
  )
}
