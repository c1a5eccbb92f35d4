import { byText } from '../../../base/lists.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import { defined } from '../../../base/values.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { NodeName, ObjectKey } from '../../../model/ids.ts'
import type { LeftOutSizes } from '../../../model/instanceType.ts'
import type { Pod } from '../../../model/pod.ts'
import { type Problem, problem } from '../../../model/problem.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { isDaemonPod, isDrainable, isMirrorPod, isReschedulable, isTerminal } from '../../pod/podPredicates.ts'
import type { Plan } from '../candidates/plan.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import { machineVerdict } from '../decision/neighbourVerdicts.ts'
import { poolVerdicts } from '../decision/poolVerdicts.ts'
import { refuseBin, refuseClass } from '../decision/refusals.ts'
import { filledBins, type Kinds } from '../decision/room.ts'
import type { Verdict } from '../decision/verdict.ts'
import { inVerdictOrder } from '../decision/verdictOrder.ts'
import type { Bin } from '../model/nodes/bin.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import { admit, type Refusal } from '../model/pods/admission.ts'
import type { PodClass, RelaxedPod } from '../model/pods/constraint.ts'
import { volumeIndex } from '../model/pods/volumes.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import { loadPlanning, type Planned } from '../planningState.ts'
import { claimCalled, explainClaim } from './explainClaim.ts'
import type { ClaimExplanation, MachineRefusals, NotPlanned, PodExplanation, PodPlanned } from './explanation.ts'
import { detailOf } from './render.ts'
import { heldBy, removalOf } from './standingLoad.ts'
import { newClaimOf } from './whyNotForBin.ts'

/**
 * What the decision made of this snapshot does with the pod, and why. Fails with KUBE.NOT_FOUND for a pod that the snapshot does not have.
 * `planned` is the plan made of this snapshot, which is not valid any more after this call. Without it, the plan is made here.
 */
export function explainPod(
  snapshot: ClusterSnapshot,
  key: ObjectKey,
  planned: Planned = loadPlanning(snapshot.objects).plan(snapshot),
): Result<PodExplanation, Problem> {
  const found = foundIn(key, planned, snapshot)
  const pod = snapshot.objects.pod.find((each) => each.key === key)
  if (pod?.nodeName !== undefined && !isTerminal(pod)) {
    return ok(running(pod, pod.nodeName, snapshot, planned, () => found ?? foundIn(key, planned.onceLetGo(pod), snapshot)))
  }
  if (found !== undefined) return ok(found)
  if (pod !== undefined) return ok(whyNotPlanned(pod, snapshot))
  return err(problem('KUBE.NOT_FOUND', `pod ${key} is not known; check the namespace and name`, { object: `pod/${key}` }))
}

function foundIn(key: ObjectKey, planned: Planned, { leftOutSizes }: ClusterSnapshot): PodPlanned | undefined {
  return planned.provisioning === undefined ? undefined : explainPlanned(key, planned.provisioning, planned, leftOutSizes)
}

/** What the plan does with the pod. Undefined if the plan looks for no place for the pod. */
function explainPlanned(
  key: ObjectKey,
  provisioning: Provisioning,
  kinds: Kinds,
  leftOut: LeftOutSizes | undefined,
): PodPlanned | undefined {
  const given = provisioning.problem
  const assignment = provisioning.assigned()
  const isThePod = (pod: Pod): boolean => pod.key === key
  const barred = given.refused.find((each) => each.pods.some(isThePod))
  if (barred !== undefined) return { kind: 'refused', pod: key, ...only(barred.why), pools: [], machines: [] }
  const placed = assignment.onExistingNodes.find((each) => isThePod(each.pod))
  if (placed !== undefined) return onMachine(placed.pod, placed.existingNode, provisioning)
  for (const [podClass, pods] of assignment.unplaced)
    for (const pod of pods) if (isThePod(pod)) return refused(pod, podClass, provisioning, leftOut)
  for (const { bin, pods, drafted } of filledBins(provisioning, kinds)) {
    const pod = pods.find(isThePod)
    if (pod === undefined) continue
    if ('action' in drafted) return onNewClaim(pod, bin, newClaimOf(drafted.action, bin, provisioning), provisioning)
    const { why } = refuseBin([pod], bin.narrowedTemplate.template.pool.name, drafted)
    return { kind: 'refused', pod: key, ...only(why), pools: [], machines: [] }
  }
  return undefined
}

function only({ code, message }: Pick<Problem, 'code' | 'message'>): Pick<Problem, 'code' | 'message'> {
  return { code, message }
}

function refused(pod: Pod, podClass: PodClass, { problem: given, plan }: Provisioning, leftOut: LeftOutSizes | undefined): PodPlanned {
  const { axes, pools } = given
  const { why } = refuseClass(podClass, [pod], plan, pools.refused, axes, leftOut)
  const relaxedPod = podClass.relaxedPods.at(-1)
  return {
    kind: 'refused',
    pod: pod.key,
    code: why.code,
    message: why.message,
    pools: why.isPostponed === true ? [] : inVerdictOrder(poolVerdicts(podClass, relaxedPod, plan, pools.refused, axes)),
    machines: relaxedPod === undefined || why.isPostponed === true ? [] : machineRefusals(plan, podClass, relaxedPod, axes),
  }
}

const STAGES = ['up', 'comingUp', 'notLaunched'] as const

function onMachine(pod: Pod, existingNode: ExistingNode, { plan }: Provisioning): PodPlanned {
  const placement = plan.log.find(({ host, podClass }) => host === existingNode && podClass.pods().some(({ uid }) => uid === pod.uid))
  return {
    kind: 'onMachine',
    pod: pod.key,
    machine: existingNode.label,
    ...(existingNode.claim === undefined ? {} : { claim: existingNode.claim }),
    stage: STAGES[existingNode.stage],
    isNominated: placement?.isNominated === true,
    gaveUp: placement === undefined ? 0 : placement.relaxedPod.gaveUp,
  }
}

function onNewClaim(pod: Pod, bin: Bin, claim: ReturnType<typeof newClaimOf>, { problem: given, plan }: Provisioning): PodPlanned {
  const content = bin.contents.find(({ podClass }) => podClass.pods().some(({ uid }) => uid === pod.uid))
  if (content === undefined) return { kind: 'onNewClaim', pod: pod.key, claim, gaveUp: 0, pools: [], machines: [] }
  const { podClass, relaxedPod } = content
  return {
    kind: 'onNewClaim',
    pod: pod.key,
    claim,
    gaveUp: relaxedPod.gaveUp,
    pools: heavierPools(podClass, relaxedPod, bin, { given, plan }),
    machines: machineRefusals(plan, podClass, relaxedPod, given.axes),
  }
}

/** The verdicts of NodePools with more weight than the NodePool of the bin: the plan offers pods to these first. */
function heavierPools(
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  { narrowedTemplate }: Bin,
  { given, plan }: { readonly given: Provisioning['problem']; readonly plan: Provisioning['plan'] },
) {
  const weights = new Map<string, number>(given.cluster.objects.nodePool.map((pool) => [pool.name, pool.weight ?? 0]))
  const { weight } = narrowedTemplate.template
  const all = poolVerdicts(podClass, relaxedPod, plan, given.pools.refused, given.axes)
  return inVerdictOrder(all).filter(({ pool }) => (weights.get(pool) ?? 0) > weight)
}

/** The existing nodes of the plan, grouped by the reason why they refuse the pod. The reason of most nodes comes first. */
function machineRefusals({ existingNodes }: Plan, podClass: PodClass, relaxedPod: RelaxedPod, axes: Axes): readonly MachineRefusals[] {
  const refusals = existingNodes.map((existingNode) => ({
    name: existingNode.label,
    verdict: machineVerdict(existingNode, podClass, relaxedPod, axes),
  }))
  const groups = [...Map.groupBy(refusals, ({ verdict }) => detailOf(verdict)).values()]
  return groups
    .flatMap((group) => {
      const [closest] = [...group].sort((one, other) => gap(one.verdict) - gap(other.verdict) || byText(one.name, other.name))
      return closest === undefined ? [] : [{ machines: group.length, closest: closest.name, verdict: closest.verdict }]
    })
    .sort((one, other) => other.machines - one.machines || byText(one.closest, other.closest))
}

function gap(verdict: Verdict): number {
  return 'shortBy' in verdict ? verdict.shortBy : 0
}

/**
 * Why a machine is what it is: the machine of a claim that is there, or of a claim that the decision made of this snapshot creates. `name` is that
 * of the claim or of its node; fails with CLAIM.NOT_FOUND for any other name. The last parameter is the plan made of this snapshot. Without it,
 * the plan is made here.
 */
export function explainNode(
  snapshot: ClusterSnapshot,
  name: string,
  planned: Planned = loadPlanning(snapshot.objects).plan(snapshot),
): Result<ClaimExplanation, Problem> {
  const { provisioning } = planned
  for (const { bin, drafted } of provisioning === undefined ? [] : filledBins(provisioning, planned)) {
    if (provisioning !== undefined && 'action' in drafted && drafted.action.draft.name === name) {
      return ok({ kind: 'new', claim: newClaimOf(drafted.action, bin, provisioning) })
    }
  }
  const fleet = planned.cluster.machines.fleet()
  const claim = claimCalled(name, fleet, snapshot)
  if (claim !== undefined) return ok(explainClaim(claim, snapshot, planned))
  const isNode = fleet.get(`node ${name}`) !== undefined
  const message = isNode ? `node ${name} has no nodeclaim, so no decision is about it` : `nodeclaim ${name} is not known; check the name`
  return err(problem('CLAIM.NOT_FOUND', message, { object: `nodeclaim/${name}` }))
}

/** The explanation of a pod without a node for which no decision looks for a place. */
function whyNotPlanned(pod: Pod, snapshot: ClusterSnapshot): PodExplanation {
  const because = reasonOf(pod)
  const refusal = because.kind === 'untried' ? refusalOf(pod, snapshot.objects) : undefined
  if (refusal === undefined) return { kind: 'notPlanned', pod: pod.key, code: 'POD.NOT_PROVISIONABLE', because }
  return { kind: 'refused', pod: pod.key, code: refusal.code, message: refusal.message, pools: [], machines: [] }
}

/** Why a decision would refuse the pod before it asks any NodePool. kube-scheduler may never mark such a pod as unschedulable. */
function refusalOf(pod: Pod, objects: ClusterSnapshot['objects']): Refusal | undefined {
  const { refused } = admit([{ pod, count: 1, pods: () => [pod] }], volumeIndex(objects))
  return refused[0]?.why
}

/** The explanation of a pod that has a node. `then` returns where the pod goes once it is evicted. It is called only if the node is being removed. */
function running(
  pod: Pod,
  node: NodeName,
  snapshot: ClusterSnapshot,
  planned: Planned,
  then: () => PodPlanned | undefined,
): PodExplanation {
  const { objects, takenAt } = snapshot
  const fleet = planned.cluster.machines.fleet()
  const machine = fleet.get(`node ${node}`)
  const known = claimCalled(node, fleet, snapshot)
  const isDeleting = machine?.isDeleting === true
  const endsThere = isDeleting ? endingOf(pod, takenAt) : undefined
  return defined({
    kind: 'running' as const,
    pod: pod.key,
    node,
    isDeleting,
    heldBy: isDeleting ? heldBy(pod, objects.podDisruptionBudget, takenAt) : [],
    removal: isDeleting ? removalOf(machine, snapshot) : undefined,
    endsThere,
    claim: known === undefined ? undefined : explainClaim(known, snapshot, planned),
    came: machine === undefined ? undefined : whenCame(pod, machine),
    then: isDeleting && endsThere === undefined ? then() : undefined,
  })
}

/** Why the pod needs no other place. Undefined if it needs one. */
function endingOf(pod: Pod, now: EpochMs): Extract<PodExplanation, { kind: 'running' }>['endsThere'] {
  if (isReschedulable(pod)) return undefined
  if (pod.deletedAt !== undefined) return 'ending'
  return isDaemonPod(pod) && isDrainable(pod, now) ? 'daemon' : 'withNode'
}

/** When the pod was created. Undefined if no claim made the node. */
function whenCame({ createdAt }: Pod, { claim, node }: StateNode): Extract<PodExplanation, { kind: 'running' }>['came'] {
  if (claim === undefined) return undefined
  if (createdAt <= claim.meta.createdAt) return 'beforeClaim'
  return node !== undefined && createdAt < node.meta.createdAt ? 'beforeNode' : 'afterNode'
}

const DEFAULT_SCHEDULER = 'default-scheduler'

function reasonOf(pod: Pod): NotPlanned {
  if (isTerminal(pod)) return { kind: 'ended' }
  if (pod.deletedAt !== undefined) return { kind: 'deleted' }
  if (isDaemonPod(pod)) return { kind: 'daemon' }
  if (isMirrorPod(pod)) return { kind: 'mirror' }
  if (pod.schedulingGates.length > 0) return { kind: 'gated', gates: pod.schedulingGates }
  if (pod.nominatedNodeName !== undefined) return { kind: 'preempting', node: pod.nominatedNodeName }
  if (pod.schedulerName !== DEFAULT_SCHEDULER) return { kind: 'otherScheduler', scheduler: pod.schedulerName }
  return { kind: 'untried' }
}
