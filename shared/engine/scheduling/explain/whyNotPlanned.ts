import { defined } from '../../../base/defined.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { NodeName } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import { leavingBy } from '../../cluster/leaving.ts'
import { type StateNode, stateNodes } from '../../cluster/stateNode.ts'
import { isDaemonPod, isMirrorPod, isTerminal } from '../../pod/podPredicates.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import { claimCalled, explainClaim } from './explainClaim.ts'
import type { NotPlanned, PodExplanation, PodPlanned } from './explanation.ts'
import { heldBy } from './heldBy.ts'

/** The explanation of a pod for which no decision looks for a place: it has a node, or it is not provisionable. */
export function whyNotPlanned(pod: Pod, snapshot: ClusterSnapshot, provisioning: Provisioning | undefined): PodExplanation {
  const { key, nodeName } = pod
  if (nodeName !== undefined && !isTerminal(pod)) return running(pod, nodeName, snapshot, provisioning)
  return { kind: 'notPlanned', pod: key, code: 'POD.NOT_PROVISIONABLE', because: reasonOf(pod) }
}

/** The explanation of a pod that has a node. `then`: where the pod goes once it is evicted. */
export function running(
  pod: Pod,
  node: NodeName,
  snapshot: ClusterSnapshot,
  provisioning: Provisioning | undefined,
  then?: PodPlanned,
): PodExplanation {
  const { objects, takenAt, commands } = snapshot
  const machines = stateNodes(objects, leavingBy(commands))
  const machine = machines.find((each) => each.node?.name === node)
  const known = claimCalled(node, machines, snapshot)
  const isDeleting = machine?.isDeleting === true
  return defined({
    kind: 'running' as const,
    pod: pod.key,
    node,
    isDeleting,
    heldBy: isDeleting ? heldBy(pod, objects.podDisruptionBudget, takenAt) : [],
    claim: known === undefined ? undefined : explainClaim(known, snapshot, provisioning),
    came: machine === undefined ? undefined : whenCame(pod, machine),
    then,
  })
}

/** When the pod was created. Undefined if no claim made the node. */
function whenCame({ createdAt }: Pod, { claim, node }: StateNode): Extract<PodExplanation, { kind: 'running' }>['came'] {
  if (claim === undefined) return undefined
  if (createdAt <= claim.meta.createdAt) return 'beforeClaim'
  return node !== undefined && createdAt < node.meta.createdAt ? 'beforeNode' : 'afterNode'
}

function reasonOf(pod: Pod): NotPlanned {
  if (isTerminal(pod)) return { kind: 'ended' }
  if (pod.deletedAt !== undefined) return { kind: 'deleted' }
  if (isDaemonPod(pod)) return { kind: 'daemon' }
  if (isMirrorPod(pod)) return { kind: 'mirror' }
  if (pod.schedulingGates.length > 0) return { kind: 'gated', gates: pod.schedulingGates }
  if (pod.nominatedNodeName !== undefined) return { kind: 'preempting', node: pod.nominatedNodeName }
  return { kind: 'untried' }
}
