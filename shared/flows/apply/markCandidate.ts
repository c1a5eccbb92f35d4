import { defined } from '../../base/values.ts'
import { repairableNodes } from '../../engine/cluster/repairPolicies.ts'
import { blockedNow, type DisruptionBlock } from '../../engine/disruption/commands/sweep.ts'
import { EXCLUDED } from '../../engine/lifecycle/drain.ts'
import { DISRUPTED_TAINT } from '../../engine/pod/podPredicates.ts'
import { clearCondition, DISRUPTION_REASON, findCondition, setCondition } from '../../model/condition.ts'
import type { CommandCandidate, RepairCause } from '../../model/disruptionCommand.ts'
import type { NodeClaimName, Uid } from '../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import type { DisruptionReason } from '../../model/nodePool.ts'
import type { Pod } from '../../model/pod.ts'
import { isFence, isRebooting } from '../../model/reboot.ts'
import { type Taint, withoutPlanned } from '../../model/taint.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, problemOf } from '../deps/clusterDeps.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** The id of the command that marks the node, and why the command disrupts it. */
export type Marking = {
  readonly command: string
  readonly reason: DisruptionReason
  readonly repair?: RepairCause | undefined
  /** The claim is deleted next. The same write takes the node out of load balancers, as the first step of the drain would. */
  readonly endsNow?: true
}

type Candidate = Pick<CommandCandidate, 'claim' | 'uid' | 'pods'>

/** The outcome of marking a candidate. `gone`: its claim is gone or being deleted. `again`: an object was written by another writer meanwhile. */
export type TaintOutcome = TaintedCandidate | 'gone' | 'again' | DisruptionBlock

export type TaintedCandidate = { readonly claim: NodeClaim; readonly node: Node | undefined }

/** The pods that the plan moves, and why the node is disrupted. */
export type Planned = Pick<Marking, 'reason' | 'repair'> & { readonly pods: CommandCandidate['pods'] }

/** Taints the node against new pods and sets the condition of the claim. Writes nothing if the node is not as planned. */
export async function taintCandidate(
  deps: ClusterDeps,
  state: ClusterState,
  candidate: Candidate,
  marking: Marking,
  signal: AbortSignalLike,
): Promise<TaintOutcome> {
  const claim = await standing(deps, candidate, signal)
  if (claim === undefined) return 'gone'
  const node = await deps.api.getNode(nodeNameOf(claim, deps.settings.machineNames), signal)
  if (node === undefined) return { claim, node }
  // A node that the picture already keeps is not tainted. Its pods are read live once it is tainted, since none comes to it then.
  const { reason, repair } = marking
  const held =
    protectionOf(deps, node, reason) ?? heldBy(deps, state, { claim, pods: podsIn(state, node) }, { pods: candidate.pods, reason, repair })
  if (held !== undefined) return held
  const closed = await close(deps, node, marking, signal)
  if (closed === undefined || !(await setDisruptionReason(deps, claim, marking, signal))) return 'again'
  return { claim, node: closed }
}

export type CheckedPods = { readonly held?: DisruptionBlock; readonly pods: readonly Pod[] }

/**
 * Reads the pods of the node live. `held` says why the node must stay: it has a pod that is not in the plan, or a pod that must not be evicted.
 * Undefined if it may go. A drifted claim with a `terminationGracePeriod` is kept neither by `do-not-disrupt` pods nor by budgets of pods, and no pod
 * keeps a broken machine whose drain has a bound.
 */
export async function checkPods(
  deps: ClusterDeps,
  state: ClusterState,
  { claim, node }: TaintedCandidate,
  planned: Planned,
  signal: AbortSignalLike,
): Promise<CheckedPods> {
  if (node === undefined) return { pods: [] }
  const pods = await deps.api.listPodsOn(node.name, signal)
  // Read once the node is tainted: kube-scheduler nominates no further pod for it.
  const nominated = await deps.api.listPodsNominatedFor(node.name, signal)
  return defined({ held: protectionOf(deps, node, planned.reason) ?? heldBy(deps, state, { claim, pods, nominated }, planned), pods })
}

/** The block of a node whose pods cannot be read once it is tainted. It is untainted and rests, because each try would taint and untaint it. */
export function unread(cause: unknown, { claim }: TaintedCandidate): DisruptionBlock {
  const { code, message } = problemOf(cause)
  return { code, message: `the pods on the node of nodeclaim ${claim.name} cannot be read: ${message}`, unread: true }
}

/** The node as it is now may be healthy again. Its `do-not-disrupt` does not hold a repair. */
function protectionOf({ settings }: ClusterDeps, node: Node, reason: DisruptionReason): DisruptionBlock | undefined {
  const { name, meta } = node
  if (reason === 'Unhealthy') {
    if (repairableNodes(settings)(node)) return undefined
    return { code: 'DISRUPTION.REPAIR_PAUSED', message: `node ${name} is healthy again, or must not be repaired` }
  }
  if (meta.annotations[ANNOTATION.doNotDisrupt] !== 'true') return undefined
  return { code: 'DISRUPTION.DO_NOT_DISRUPT', message: `node ${name} must not be disrupted` }
}

function heldBy(
  { clock }: ClusterDeps,
  state: ClusterState,
  { claim, pods, nominated = [] }: { readonly claim: NodeClaim; readonly pods: readonly Pod[]; readonly nominated?: readonly Pod[] },
  { pods: planned, reason, repair }: Planned,
): DisruptionBlock | undefined {
  const hasGrace = claim.spec.terminationGracePeriod !== undefined
  // The bound of a repair ends all pods, also those that came to the broken node meanwhile.
  if (reason === 'Unhealthy' && (hasGrace || repair?.terminationGracePeriod !== undefined)) return undefined
  const isForced = reason === 'Drifted' && hasGrace
  return blockedNow({ pods, nominated, planned, budgets: state.list('podDisruptionBudget'), now: clock.now(), isForced })
}

/** The pods of the node as the watch shows them. */
function podsIn(state: ClusterState, { name }: Node): readonly Pod[] {
  return state.list('pod').filter(({ nodeName }) => nodeName === name)
}

/**
 * Removes the marks, and a fence that is left of a reboot. A claim that is being deleted or rebooted keeps them. If an object was written meanwhile, a
 * later decision tries again.
 */
export async function untaintCandidate(
  deps: ClusterDeps,
  candidate: { readonly claim: NodeClaimName; readonly uid: Uid },
  signal: AbortSignalLike,
): Promise<void> {
  const claim = await standing(deps, candidate, signal)
  if (claim === undefined || isRebooting(claim)) return
  const node = await deps.api.getNode(nodeNameOf(claim, deps.settings.machineNames), signal)
  if (node !== undefined && node.meta.deletedAt === undefined && node.taints.some(isMark)) {
    const taints = node.taints.filter((taint) => !isMark(taint))
    const isExcluded = node.meta.labels[LABEL.excludeFromLoadBalancers] === EXCLUDED[LABEL.excludeFromLoadBalancers]
    const gone = { annotationsGone: [ANNOTATION.disruptionCommand], ...(isExcluded && { labelsGone: [LABEL.excludeFromLoadBalancers] }) }
    const opened = await deps.api.patchNode(node, { taints, ...gone }, signal)
    if (!opened.ok) return
    deps.telemetry.info(`node ${node.name} accepts pods again`, { cluster: deps.cluster, node: node.name })
  }
  if (findCondition(claim.status.conditions, DISRUPTION_REASON) === undefined) return
  const conditions = clearCondition(claim.status.conditions, DISRUPTION_REASON)
  await deps.api.patchClaimStatus(claim, { ...claim.status, conditions }, signal)
}

async function standing(
  { api }: ClusterDeps,
  { claim: name, uid }: { readonly claim: NodeClaimName; readonly uid: Uid },
  signal: AbortSignalLike,
): Promise<NodeClaim | undefined> {
  const claim = await api.getClaim(name, signal)
  return claim === undefined || claim.meta.uid !== uid || claim.meta.deletedAt !== undefined ? undefined : claim
}

async function close({ api }: ClusterDeps, node: Node, { command, endsNow }: Marking, signal: AbortSignalLike): Promise<Node | undefined> {
  if (node.taints.some(isOfDisruption) && node.meta.annotations[ANNOTATION.disruptionCommand] === command) return node
  // The plan is carried out now. The same write removes its taint.
  const taints = [...withoutPlanned(node.taints).filter((taint) => !isOfDisruption(taint)), DISRUPTED_TAINT]
  const closed = await api.patchNode(
    node,
    { taints, annotations: { [ANNOTATION.disruptionCommand]: command }, ...(endsNow && { labels: EXCLUDED }) },
    signal,
  )
  return closed.ok ? closed.value : undefined
}

async function setDisruptionReason(deps: ClusterDeps, claim: NodeClaim, { reason }: Marking, signal: AbortSignalLike): Promise<boolean> {
  const { conditions } = claim.status
  const said = findCondition(conditions, DISRUPTION_REASON)
  if (said?.status === 'True' && said.reason === reason) return true
  const { generation, createdAt } = claim.meta
  const update = { type: DISRUPTION_REASON, status: 'True', reason } as const
  const next = setCondition(conditions, update, { generation, createdAt }, deps.clock.now())
  return (await deps.api.patchClaimStatus(claim, { ...claim.status, conditions: next }, signal)).ok
}

function isMark(taint: Taint): boolean {
  return isOfDisruption(taint) || isFence(taint)
}

function isOfDisruption({ key }: Taint): boolean {
  return key === DISRUPTED_TAINT.key
}
