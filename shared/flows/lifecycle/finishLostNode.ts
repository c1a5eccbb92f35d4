import { isReady } from '../../engine/lifecycle/nodeState.ts'
import { claimOfInstanceName, instanceNamesOf, type NodeClaimName, type NodeName, nodeName } from '../../model/ids.ts'
import { FINALIZER } from '../../model/labels.ts'
import { isManaged, type Node } from '../../model/node.ts'
import { machineNameIn } from '../../model/nodeClaim.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/**
 * A node whose claim is gone, for example because somebody removed the claim's finalizer by hand: with its machine gone too,
 * nobody else would ever lift our finalizer from it. A machine that still runs is left to garbage collection, and so is a node that is
 * ready, whatever Azure says of its machine: something runs there.
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
    // A node that is another machine's by now is none of this claim's.
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
