import { isReady } from '../../engine/lifecycle/nodeState.ts'
import { attachmentsToAwait } from '../../engine/lifecycle/termination.ts'
import { claimOfInstanceName, instanceNamesOf, type NodeClaimName, type NodeName, nodeName } from '../../model/ids.ts'
import { FINALIZER } from '../../model/labels.ts'
import { isManaged, type Node } from '../../model/node.ts'
import { machineNameIn } from '../../model/nodeClaim.ts'
import type { EpochMs } from '../../model/units.ts'
import type { VolumeAttachment } from '../../model/workloads.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/**
 * Deletes a node whose claim and machine are gone, for example because somebody removed the finalizer of the claim by hand. Nothing else would remove
 * our finalizer from the node. A node whose machine still runs is left to garbage collection. So is a ready node, whatever Azure says about its
 * machine, because something runs there.
 */
export async function finishLostNode(
  deps: ClusterDeps,
  claim: NodeClaimName,
  signal: AbortSignalLike,
  otherNodes: readonly NodeName[] = [],
): Promise<void> {
  for (const name of otherNodes) {
    const node = await deps.api.getNode(name, signal)
    const machine = machineNameIn(node?.providerId)
    // The node may belong to the machine of another claim by now.
    if (node !== undefined && machine !== undefined && claimOfInstanceName(machine, deps.settings.machineNames) === claim)
      await finish(deps, claim, node, signal)
  }
  for (const name of instanceNamesOf(claim, deps.settings.machineNames)) {
    const node = await deps.api.getNode(nodeName(name), signal)
    if (node !== undefined) return finish(deps, claim, node, signal)
  }
}

async function finish(deps: ClusterDeps, claim: NodeClaimName, node: Node, signal: AbortSignalLike): Promise<void> {
  if (!isManaged(node)) return
  if (isReady(node)) return
  if ((await deps.cloud.get(claim, signal)) !== undefined) return
  if (node.meta.finalizers.includes(FINALIZER)) {
    const finalizers = node.meta.finalizers.filter((finalizer) => finalizer !== FINALIZER)
    const patched = await deps.api.patchNode(node, { finalizers }, signal)
    if (!patched.ok) return
  }
  await deps.api.deleteNode(node.name, node.meta.uid, signal)
}

/**
 * The volumes that must be detached before these nodes end. They come from the log, since an API server cannot list the attachments of one node.
 * They are read live up to the first that still exists. So a drain does not hang if the shim is away.
 */
export async function attachedVolumes(
  { api, readClusterState }: Pick<ClusterDeps, 'api' | 'readClusterState'>,
  nodes: readonly Node[],
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<readonly VolumeAttachment[]> {
  const state = await readClusterState?.(signal)
  if (state === undefined) return []
  const known = attachmentsToAwait(state.objects(), nodes, now)
  for (const [index, { name, uid }] of known.entries()) {
    const live = await api.getVolumeAttachment(name, signal)
    if (live?.uid === uid) return known.slice(index)
  }
  return []
}
