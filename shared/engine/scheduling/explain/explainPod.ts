import { err, ok, type Result } from '../../../base/result.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { ObjectKey } from '../../../model/ids.ts'
import type { LeftOutSizes } from '../../../model/instanceType.ts'
import type { Pod } from '../../../model/pod.ts'
import { type Problem, problem } from '../../../model/problem.ts'
import { isTerminal } from '../../pod/podPredicates.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import { filledBins, type Kinds } from '../decision/filledBins.ts'
import { byTelling, poolVerdicts } from '../decision/poolVerdicts.ts'
import { refuseBin, refuseClass } from '../decision/refusals.ts'
import type { Bin } from '../model/nodes/bin.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { PodClass, RelaxedPod } from '../model/pods/podClass.ts'
import { loadPlanning, type Planned } from '../planningState.ts'
import type { PodExplanation, PodPlanned } from './explanation.ts'
import { machineRefusals } from './machineVerdicts.ts'
import { newClaimOf } from './newClaimOf.ts'
import { running, whyNotPlanned } from './whyNotPlanned.ts'

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
    pools: why.isPostponed === true ? [] : byTelling(poolVerdicts(podClass, relaxedPod, plan, pools.refused, axes)),
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
  return byTelling(all).filter(({ pool }) => (weights.get(pool) ?? 0) > weight)
}
