import { settleBounded } from '../../base/concurrency.ts'
import { closeNode, drainBlockers, drainPods, waitingPods } from '../../engine/lifecycle/drain.ts'
import { isReady } from '../../engine/lifecycle/nodeState.ts'
import { attachedMessage } from '../../engine/lifecycle/termination.ts'
import type { HeldPod, NodePatch } from '../../model/claimStep.ts'
import { nodeName } from '../../model/ids.ts'
import type { Instance } from '../../model/instance.ts'
import { FINALIZER } from '../../model/labels.ts'
import { isManaged, type Node } from '../../model/node.ts'
import { type DurationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { isPodAction, PODS_AT_ONCE, type PodAction } from '../lifecycle/applyClaimAction.ts'
import { attachedVolumes } from '../lifecycle/finishLostNode.ts'
import { holderOf } from '../lifecycle/removePods.ts'

type OrphanDeps = Pick<ClusterDeps, 'api' | 'cloud' | 'readClusterState'>

/** The outcome of a step. `drains`: the node still has pods or volumes, and `message` says how many and what holds them. */
export type OrphanEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'drains'; readonly node: Node; readonly message: string; readonly held: readonly HeldPod[] }

const ENDED: OrphanEnd = { kind: 'ended' }

/**
 * Takes a machine without a claim one step further to its end. Pods may run on the machine, and they are treated as on any node: the node is tainted,
 * and the pods are evicted within their budgets. The machine is deleted once no pod and no volume is left. If the machine has no ready node, no
 * kubelet could stop pods properly, so it is deleted at once.
 *
 * `drainFor` limits the drain, counted from the deletion of the node, whose time the API server keeps for the next process. Pods that would outlast
 * it are deleted early enough to terminate by themselves. Then the machine is deleted whatever is left. Such a node keeps our finalizer until its
 * machine is gone, and `unhealthyClaims` finds it then. Undefined: the caller has a limit of its own, and the node is tainted but not deleted.
 */
export async function endOrphan(
  deps: OrphanDeps,
  { name, claim }: Instance,
  { now, drainFor }: { readonly now: EpochMs; readonly drainFor?: DurationMs },
  signal: AbortSignalLike,
): Promise<OrphanEnd> {
  const { api, cloud } = deps
  const terminate = async (): Promise<OrphanEnd> => {
    await cloud.terminate(claim, signal)
    return ENDED
  }
  const node = await api.getNode(nodeName(name), signal)
  // A node without a NodePool and a NodeClass is not ours. It must not be tainted or deleted, so the start of a drain could not be kept.
  if (node === undefined || !isReady(node) || (drainFor !== undefined && !isManaged(node))) return terminate()
  if (!(await isClosed(api, node, drainFor !== undefined, signal)))
    return { kind: 'drains', node, message: 'another writer is changing its node', held: [] }
  const waiting = waitingPods({ pods: await api.listPodsOn(node.name, signal), now })
  const deadline = drainFor === undefined ? undefined : later(node.meta.deletedAt ?? now, drainFor)
  if (deadline !== undefined && now >= deadline) return terminate()
  if (waiting.length === 0) {
    const attached = await attachedVolumes(deps, [node], now, signal)
    return attached.length === 0 ? terminate() : { kind: 'drains', node, message: attachedMessage(attached), held: [] }
  }
  const asked = await settleBounded(drainPods({ now }, waiting, deadline).filter(isPodAction), PODS_AT_ONCE, (each) =>
    heldBy(api, each, signal),
  )
  const held = asked.flatMap((each) => {
    if (each.ok) return each.value ?? []
    throw each.error
  })
  return { kind: 'drains', node, message: drainBlockers(waiting, held, now), held }
}

/** Taints the node and, for a limited drain, deletes it. The finalizer keeps the node until its machine is gone, because its pods need the node. */
async function isClosed(api: OrphanDeps['api'], node: Node, isDeleted: boolean, signal: AbortSignalLike): Promise<boolean> {
  const isNew = node.meta.deletedAt === undefined
  const mark = closeNode(node).find(({ kind }) => kind === 'patchNode')
  // The finalizer is written with the taint, before the deletion. Without it the node would be gone at once.
  const isHeld = !isDeleted || !isNew || node.meta.finalizers.includes(FINALIZER)
  const patch: NodePatch = {
    ...(mark?.kind === 'patchNode' ? mark.patch : {}),
    ...(isHeld ? {} : { finalizers: [...node.meta.finalizers, FINALIZER] }),
  }
  if ((mark !== undefined || !isHeld) && !(await api.patchNode(node, patch, signal)).ok) return false
  if (isDeleted && isNew) await api.deleteNode(node.name, node.meta.uid, signal)
  return true
}

async function heldBy(api: OrphanDeps['api'], action: PodAction, signal: AbortSignalLike): Promise<HeldPod | undefined> {
  const { pod } = action
  if (action.kind === 'deletePod') {
    await api.deletePod(pod, action.gracePeriodSeconds, signal)
    return undefined
  }
  const evicted = await api.evict(pod, signal)
  return evicted.ok ? undefined : { pod: pod.key, by: holderOf(evicted.error) }
}
