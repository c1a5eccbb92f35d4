import { settleBounded } from '../../base/bounded.ts'
import { whatIsAttached } from '../../engine/lifecycle/attachments.ts'
import { closeNode } from '../../engine/lifecycle/closeNode.ts'
import { drainPods, waitingPods } from '../../engine/lifecycle/drain.ts'
import { whatHolds } from '../../engine/lifecycle/drainMessage.ts'
import { isReady } from '../../engine/lifecycle/nodeState.ts'
import type { HeldPod, NodePatch } from '../../model/claimStep.ts'
import { nodeName } from '../../model/ids.ts'
import type { Instance } from '../../model/instance.ts'
import { FINALIZER } from '../../model/labels.ts'
import { isManaged, type Node } from '../../model/node.ts'
import { type DurationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { attachedVolumes } from '../lifecycle/attachedVolumes.ts'
import { isPodAction, PODS_AT_ONCE, type PodAction } from '../lifecycle/podAction.ts'
import { holderOf } from '../lifecycle/removePods.ts'

type OrphanDeps = Pick<ClusterDeps, 'api' | 'cloud' | 'picture'>

/** `drains`: pods are waited for, and `message` says how many and what holds them. */
export type OrphanEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'drains'; readonly node: Node; readonly message: string; readonly held: readonly HeldPod[] }

const ENDED: OrphanEnd = { kind: 'ended' }

/**
 * Takes a machine that no claim owns one step towards its end. Nobody knows what it was made for, but pods may run on it, and they are treated as on
 * any node: it is closed, they are evicted, and their budgets are minded. The machine is deleted once nothing waits any more. Without a node that is
 * ready there is nobody who would end pods properly, so it is deleted at once.
 *
 * `drainFor` bounds the wait from the deletion of the node, which the API server remembers for whoever comes next; pods that would outlast it are
 * deleted in time to end by themselves, and then the machine goes whatever is left. Such a node keeps our finalizer until its machine is gone:
 * `troubledClaims` finds it then. Without a bound the caller has its own, and the node is only closed.
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
  // A node of neither a pool nor a class is none of ours: it may not be closed, and so nobody could say since when it is drained.
  if (node === undefined || !isReady(node) || (drainFor !== undefined && !isManaged(node))) return terminate()
  if (!(await isClosed(api, node, drainFor !== undefined, signal)))
    return { kind: 'drains', node, message: 'its node is being written by somebody else', held: [] }
  const waiting = waitingPods({ pods: await api.listPodsOn(node.name, signal), now })
  const deadline = drainFor === undefined ? undefined : later(node.meta.deletedAt ?? now, drainFor)
  if (deadline !== undefined && now >= deadline) return terminate()
  if (waiting.length === 0) {
    const attached = await attachedVolumes(deps, [node], now, signal)
    return attached.length === 0 ? terminate() : { kind: 'drains', node, message: whatIsAttached(attached), held: [] }
  }
  const asked = await settleBounded(drainPods({ now }, waiting, deadline).filter(isPodAction), PODS_AT_ONCE, (each) =>
    heldBy(api, each, signal),
  )
  const held = asked.flatMap((each) => {
    if (each.ok) return each.value ?? []
    throw each.error
  })
  return { kind: 'drains', node, message: whatHolds(waiting, held, now), held }
}

/** Taken out of the scheduler's sight. The node itself stays until its machine is gone: with it the pods would lose their names. */
async function isClosed(api: OrphanDeps['api'], node: Node, isDeleted: boolean, signal: AbortSignalLike): Promise<boolean> {
  const isNew = node.meta.deletedAt === undefined
  const mark = closeNode(node).find(({ kind }) => kind === 'patchNode')
  // A finalizer comes with the mark or before the deletion: without it the node would go at once.
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
