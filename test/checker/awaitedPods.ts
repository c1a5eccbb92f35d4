/** Pods that kube-scheduler has nominated for a node, as the rule has them: on that node while they may still come there, and waiting otherwise. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Pod } from '../../shared/model/pod.ts'

const TEN_MINUTES = 600_000

/** The snapshot with each nominated pod bound to its node, or without its nomination. */
export function withAwaited(snapshot: ClusterSnapshot): ClusterSnapshot {
  const { pod: pods } = snapshot.objects
  if (pods.every((pod) => pod.nominatedNodeName === undefined)) return snapshot
  const pod = pods.map((each): Pod => {
    const { nominatedNodeName: node, ...others } = each
    if (node === undefined || each.nodeName !== undefined || each.deletedAt !== undefined) return others
    return isAwaited(each, snapshot) ? { ...others, nodeName: node } : others
  })
  return { ...snapshot, objects: { ...snapshot.objects, pod } }
}

/** Reports whether the pod may still come to the node that it was nominated for. */
export function isAwaited(
  { nominatedNodeName, nodeName, nominatedAt, unschedulableSince, createdAt, phase, deletedAt }: Pod,
  { objects, commands, takenAt }: ClusterSnapshot,
): boolean {
  const node = objects.node.find(({ name }) => name === nominatedNodeName)
  if (node === undefined || nodeName !== undefined || deletedAt !== undefined || phase === 'Succeeded' || phase === 'Failed') return false
  const claim = objects.nodeClaim.findLast(({ status }) => node.providerId !== undefined && status.providerId === node.providerId)
  const isTaken = commands.some(({ candidates }) => candidates.some((each) => each.claim === claim?.name && each.uid === claim.meta.uid))
  const isEnding =
    claim === undefined
      ? node.meta.deletedAt !== undefined
      : claim.meta.deletedAt !== undefined ||
        claim.status.conditions.some((each) => each.type === 'InstanceTerminating' && each.status === 'True')
  const preempted = objects.pod.flatMap((pod) =>
    pod.nodeName === node.name && pod.phase !== 'Succeeded' && pod.phase !== 'Failed' ? (pod.deletedAt ?? []) : [],
  )
  return !isTaken && !isEnding && takenAt < Math.max(nominatedAt ?? unschedulableSince ?? createdAt, ...preempted) + TEN_MINUTES
}
