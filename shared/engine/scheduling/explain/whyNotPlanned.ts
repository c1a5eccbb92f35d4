import type { Pod } from '../../../model/pod.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { isDaemonPod, isMirrorPod, isTerminal } from '../../pod/podPredicates.ts'
import type { NotPlanned, PodExplanation } from './explanation.ts'

/** Of a pod that no decision looks for a place for. */
export function whyNotPlanned(pod: Pod, machines: readonly StateNode[]): PodExplanation {
  const { key, nodeName } = pod
  if (nodeName !== undefined && !isTerminal(pod)) {
    const machine = machines.find(({ node }) => node?.name === nodeName)
    return { kind: 'running', pod: key, node: nodeName, isGoing: machine?.isGoing === true }
  }
  return { kind: 'notPlanned', pod: key, code: 'POD.NOT_PROVISIONABLE', because: reasonOf(pod) }
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
