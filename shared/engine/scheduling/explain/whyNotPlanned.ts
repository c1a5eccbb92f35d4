import { defined } from '../../../base/defined.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { NodeName } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { isDaemonPod, isDrainable, isMirrorPod, isReschedulable, isTerminal } from '../../pod/podPredicates.ts'
import { admit, type Refusal } from '../model/pods/admission.ts'
import { volumeIndex } from '../model/pods/volumes.ts'
import type { Planned } from '../planningState.ts'
import { claimCalled, explainClaim } from './explainClaim.ts'
import type { NotPlanned, PodExplanation, PodPlanned } from './explanation.ts'
import { heldBy, removalOf } from './heldBy.ts'

/** The explanation of a pod without a node for which no decision looks for a place. */
export function whyNotPlanned(pod: Pod, snapshot: ClusterSnapshot): PodExplanation {
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
export function running(
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
