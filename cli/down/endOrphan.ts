import { settleBounded } from '../../shared/base/bounded.ts'
import { closeNode } from '../../shared/engine/lifecycle/closeNode.ts'
import { drainPods, waitingPods } from '../../shared/engine/lifecycle/drain.ts'
import { whatHolds } from '../../shared/engine/lifecycle/drainMessage.ts'
import { isReady } from '../../shared/engine/lifecycle/nodeState.ts'
import { holderOf } from '../../shared/flows/removePods.ts'
import type { HeldPod } from '../../shared/model/claimStep.ts'
import { nodeName } from '../../shared/model/ids.ts'
import type { Instance } from '../../shared/model/instance.ts'
import type { Node } from '../../shared/model/node.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import type { DownCluster } from './downCluster.ts'

/** Pods of one node that are asked to go beside each other. */
const AT_ONCE = 8

/**
 * Takes a machine that no claim owns one step towards its end. Nobody knows what it was made for, but pods may run on it, and they are treated as on
 * any node: it is closed, they are evicted, and their budgets are minded. The machine is deleted once nothing waits any more. Without a node that is
 * ready there is nobody who would end pods properly, so it is deleted at once. Fails with what holds it.
 */
export async function endOrphan(cluster: DownCluster, { name, claim }: Instance, now: EpochMs, signal: AbortSignal): Promise<void> {
  const terminate = async (): Promise<void> => void (await cluster.cloud.terminate(claim, signal))
  const node = await cluster.api.getNode(nodeName(name), signal)
  if (node === undefined || !isReady(node)) return terminate()
  if (!(await isClosed(cluster, node, signal))) return
  const waiting = waitingPods({ pods: await cluster.api.listPodsOn(node.name, signal), now })
  if (waiting.length === 0) return terminate()
  const next = drainPods({ now }, waiting, undefined).flatMap((action) => (action.kind === 'evictPod' ? [action.pod] : []))
  const evicted = await settleBounded(next, AT_ONCE, (pod) => heldBy(cluster, pod, signal))
  const held = evicted.flatMap((each) => {
    if (each.ok) return each.value ?? []
    throw each.error
  })
  throw new Fault(`end machine ${name}, which has no nodeclaim`, problem('DISRUPTION.PDB', whatHolds(waiting, held, now)))
}

/** Taken out of the scheduler's sight. The node itself stays until its machine is gone: with it the pods would lose their names. */
async function isClosed({ api }: DownCluster, node: Node, signal: AbortSignal): Promise<boolean> {
  for (const action of closeNode(node)) {
    if (action.kind !== 'patchNode') continue
    const patched = await api.patchNode(node, action.patch, signal)
    if (!patched.ok) return false
  }
  return true
}

async function heldBy({ api }: DownCluster, pod: Pod, signal: AbortSignal): Promise<HeldPod | undefined> {
  const evicted = await api.evict(pod, signal)
  return evicted.ok ? undefined : { pod: pod.key, by: holderOf(evicted.error) }
}
