import { byKey } from '../../../base/lists.ts'
import { DISRUPTION_REASON, isTrue } from '../../../model/condition.ts'
import type { OpenNode } from '../../../model/decision.ts'
import { ANNOTATION, TAINT_KEY } from '../../../model/labels.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { isOurs } from '../../../model/nodeClass.ts'
import type { Pod, PodRef } from '../../../model/pod.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import { isFenced, isRebooting } from '../../../model/reboot.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import { createFindings, type Finding } from '../../cluster/findings.ts'
import type { Fleet } from '../../cluster/fleet.ts'
import { isEnding, type Leaving, type StateNode } from '../../cluster/stateNode.ts'
import { blockingBudgets } from '../../pod/eviction.ts'
import { holdsNomination, isDoNotDisrupt, isEvictable, isReschedulable } from '../../pod/podPredicates.ts'

export type Sweep = (fleet: Fleet, now: EpochMs, leaving: Leaving) => readonly OpenNode[]

/**
 * Finds marks that belong to no move, left by a process that died or by a host that lost its lease. A claim that is ending keeps its marks, since its
 * steps need them.
 */
export function createSweep(): Sweep {
  const findings = createFindings<NodeClaim>()
  return (fleet, now, leaving) =>
    findings(fleet, now, stale)
      .found.filter((claim) => leaving.get(claim.name) !== claim.meta.uid)
      .map((claim): OpenNode => ({ kind: 'openNode', claim: claim.name, uid: claim.meta.uid }))
      .sort(byKey(({ claim }) => claim))
}

/** Finds a claim that is marked, and neither ending nor rebooted. */
function stale(machine: StateNode): Finding<NodeClaim> {
  const { claim, node } = machine
  if (claim === undefined) return {}
  const isFenceLeft = node !== undefined && isFenced(node)
  if (isRebooting(claim) || !(isTainted(machine) || isFenceLeft || isTrue(claim.status.conditions, DISRUPTION_REASON))) return {}
  if (isEnding(claim) || node?.meta.deletedAt !== undefined || !isOurs(claim.spec.nodeClassRef)) return {}
  // Azure takes a machine with this annotation. Its node was closed for that, and its claim may end at any moment.
  return claim.meta.annotations[ANNOTATION.terminationTimestamp] === undefined ? { found: claim } : {}
}

/** Reports whether the node has the taint that closes it to pods. */
export function isTainted({ node }: StateNode): boolean {
  return node?.taints.some(({ key }) => key === TAINT_KEY.disrupted) === true
}

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
