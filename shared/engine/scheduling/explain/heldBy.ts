import { defined } from '../../../base/defined.ts'
import { leastOf } from '../../../base/lists.ts'
import { byKey } from '../../../base/order.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import { deadlineOf } from '../../../model/nodeClaim.ts'
import type { Pod } from '../../../model/pod.ts'
import { type EpochMs, epochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { blockingBudgets } from '../../pod/eviction.ts'
import { isDoNotDisrupt, isWaitingForEviction } from '../../pod/podPredicates.ts'
import type { Drain, Hold, Removal } from './explanation.ts'

/** What keeps the pod from being evicted now. The eviction API refuses every pod that several PodDisruptionBudgets select. */
export function heldBy(pod: Pod, budgets: readonly PodDisruptionBudget[], now: EpochMs): readonly Hold[] {
  const holding = [...blockingBudgets(pod, budgets)].sort(byKey(({ key }) => key))
  return [
    ...holding.map(({ key }): Hold => ({ kind: holding.length > 1 ? 'oneOfSeveralBudgets' : 'budget', name: key })),
    ...(isDoNotDisrupt(pod, now) ? [{ kind: 'annotation', name: ANNOTATION.doNotDisrupt } as const] : []),
  ]
}

type Removing = Pick<ClusterSnapshot, 'objects' | 'commands' | 'takenAt'>

export function removalOf({ node, claim }: StateNode, { commands }: Pick<Removing, 'commands'>): Removal {
  const moves = commands.filter(({ candidates }) => candidates.some(({ uid }) => uid === claim?.meta.uid))
  const begun = [claim?.meta.deletedAt, node?.meta.deletedAt, ...moves.map(({ startedAt }) => startedAt)].filter((at) => at !== undefined)
  return defined({
    since: begun.length === 0 ? undefined : epochMs(leastOf(begun)),
    deadline: claim === undefined ? undefined : deadlineOf(claim),
  })
}

/** The pods that the machine waits for. Undefined if it is not being removed. */
export function drainOf(machine: StateNode, snapshot: Removing): Drain | undefined {
  if (!machine.isDeleting) return undefined
  const { objects, takenAt } = snapshot
  const leaving = machine.pods.filter((pod) => isWaitingForEviction(pod, takenAt)).sort(byKey(({ key }) => key))
  const holds = leaving.flatMap((pod) => heldBy(pod, objects.podDisruptionBudget, takenAt).map((by) => ({ by, pod })))
  const held = [...Map.groupBy(holds, ({ by }) => `${by.kind} ${by.name}`).values()].flatMap((own) => {
    const [first] = own
    return first === undefined ? [] : [{ by: first.by, pods: own.map(({ pod }) => pod.key) }]
  })
  return { ...removalOf(machine, snapshot), leaving: leaving.map(({ key }) => key), held }
}
