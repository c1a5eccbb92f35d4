import type { Pod } from '../../../model/pod.ts'
import type { PodRef } from '../../../model/podRef.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import { blockingBudgets } from '../../pod/eviction.ts'
import { holdsNomination } from '../../pod/nomination.ts'
import { isDoNotDisrupt, isEvictable, isReschedulable } from '../../pod/podPredicates.ts'

/** Why a node must not be taken away after all. `unread`: its pods could not be read. */
export type DisruptionBlock = { readonly code: ProblemCode; readonly message: string; readonly unread?: true }

export type LiveCheck = {
  /** Pods on the node, read live. */
  readonly pods: readonly Pod[]
  /** Pods that kube-scheduler has nominated for the node, read live. */
  readonly nominated: readonly Pod[]
  /** Pods that the plan has placed elsewhere. */
  readonly planned: readonly PodRef[]
  readonly budgets: readonly PodDisruptionBudget[]
  readonly now: EpochMs
  /** True if terminationGracePeriod of the claim bounds how long pods may hold it. Neither protection nor a budget holds it then. */
  readonly isForced?: boolean
}

/** Checks live objects right before an effect: only planned pods are on the node, and all of them may go. Undefined if nothing holds the node. */
export function blockedNow({ pods, nominated, planned, budgets, now, isForced = false }: LiveCheck): DisruptionBlock | undefined {
  const expected = new Set(planned.map(({ uid }) => uid))
  const held = isForced ? undefined : pods.find((pod) => isDoNotDisrupt(pod, now))
  if (held !== undefined) return { code: 'DISRUPTION.DO_NOT_DISRUPT', message: `pod ${held.key} must not be disrupted` }
  const came = pods.find((pod) => isReschedulable(pod) && !expected.has(pod.uid))
  if (came !== undefined)
    return { code: 'DISRUPTION.OCCUPIED', message: `pod ${came.key} came to the node after its disruption was planned` }
  const coming = nominated.find((pod) => isReschedulable(pod) && holdsNomination(pod, pods, now))
  if (coming !== undefined)
    return { code: 'DISRUPTION.NOMINATED', message: `kube-scheduler is about to bind pod ${coming.key} to the node` }
  if (isForced) return undefined
  const guarded = pods.find((pod) => isEvictable(pod, now) && blockingBudgets(pod, budgets).length > 0)
  if (guarded === undefined) return undefined
  const names = blockingBudgets(guarded, budgets).map(({ key }) => key)
  return { code: 'DISRUPTION.PDB', message: `poddisruptionbudget ${names.join(', ')} prevents the eviction of pod ${guarded.key}` }
}
