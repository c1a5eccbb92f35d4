import { largestOf } from '../../base/lists.ts'
import type { Pod } from '../../model/pod.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import { isActive } from './podPredicates.ts'

/** kube-scheduler waits ten minutes for the volumes of a pod (`bindTimeoutSeconds`), and gives up then. */
const NOMINATION_HOLDS = durationMs(10 * 60_000)

/** Reports whether a pod with a nominated node is to be bound there. `pods`: the pods of the node. */
export function holdsNomination(pod: Pod, pods: readonly Pod[], now: EpochMs): boolean {
  return isActive(pod) && now < nominationEnds(pod, pods)
}

/** Counts from the time at which the nomination was written, and from the time at which the last preempted pod is due to end. */
function nominationEnds({ nominatedAt, unschedulableSince, createdAt }: Pod, pods: readonly Pod[]): EpochMs {
  const ends = pods.flatMap((pod) => pod.deletedAt ?? [])
  return later(epochMs(largestOf([nominatedAt ?? unschedulableSince ?? createdAt, ...ends])), NOMINATION_HOLDS)
}

/** Reports whether a pod that counts on a node is not bound there yet: kube-scheduler has nominated it for the node. */
export function isAwaited({ nominatedNodeName, nodeName, scheduledAt }: Pod): boolean {
  return nominatedNodeName !== undefined && nominatedNodeName === nodeName && scheduledAt === undefined
}
