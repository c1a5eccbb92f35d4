/** Pods that get no place for a while, since kube-scheduler has refused them on a node that planning had for them. */
import { cutText } from '../../../../base/cutText.ts'
import type { Pod } from '../../../../model/pod.ts'
import { isLeftOut, type RefusedPlace } from '../../../../model/schedulerRefusal.ts'
import { formatTimestamp } from '../../../../model/timestamp.ts'
import type { DecisionContext } from '../../snapshot/decisionContext.ts'
import type { Refusal, RefusedPods } from './admission.ts'
import type { PodReplicas } from './podReplicas.ts'
import { schedulingInputs, type VolumeObjects } from './schedulingInputs.ts'

/** The most bytes of the scheduler's text that a message repeats. An Event has room for 1,024 bytes in all. */
const MOST_REPEATED = 480

export type SetAside = { readonly planned: readonly PodReplicas[]; readonly refused: readonly RefusedPods[] }

/** Takes out the pods that kube-scheduler has refused. A pod whose inputs have changed since then is planned. */
export function setRefusedAside(
  replicas: readonly PodReplicas[],
  objects: VolumeObjects,
  { schedulerRefusals = [], takenAt }: DecisionContext,
): SetAside {
  const leftOut = new Map(schedulerRefusals.filter((each) => isLeftOut(each, takenAt)).map((each) => [each.pod.uid, each]))
  if (leftOut.size === 0) return { planned: replicas, refused: [] }
  const { hashOf } = schedulingInputs(objects)
  const refused: RefusedPods[] = []
  const planned = replicas.flatMap((each): readonly PodReplicas[] => {
    if (each.pod.nodeName !== undefined) return [each]
    const free: Pod[] = []
    for (const pod of each.pods()) {
      const known = leftOut.get(pod.uid)
      if (known?.refused !== undefined && known.inputs === hashOf(pod)) refused.push({ pods: [pod], why: refusalText(known.refused) })
      else free.push(pod)
    }
    const [first] = free
    if (first === undefined) return []
    return free.length === each.count ? [each] : [{ pod: first, count: free.length, pods: () => free }]
  })
  return { planned, refused }
}

function refusalText({ node, until, message }: RefusedPlace): Refusal {
  const said = message === undefined ? '' : `: "${cutText(message, MOST_REPEATED)}"`
  return {
    code: 'POD.REFUSED_BY_SCHEDULER',
    message: `kube-scheduler does not bind the pod to node ${node}, which takes it by all rules that Joiner knows${said}; no node is made for the pod before ${formatTimestamp(until)}; to do: remove what the scheduler names; the pod is planned again at once if its spec or its volumes change`,
    // The text of the scheduler is read for the next decision, which reports the refusal.
    ...(message === undefined ? { silent: true as const } : {}),
  }
}
