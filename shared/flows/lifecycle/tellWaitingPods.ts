import { settle } from '../../base/concurrency.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, logRefused, problemOf } from '../deps/clusterDeps.ts'

/** The most pods of one claim that get an Event, as many as Karpenter allows at once. Of thousands of similar pods, a few are enough. */
const MOST_TOLD = 10

type Told = Pick<ClusterDeps, 'cluster' | 'telemetry' | 'api' | 'ledger' | 'readClusterState'>

/**
 * Tells the pods that a claim was meant for, and that still wait, why it got no machine. Their next decision tells them only what comes next. What
 * fails here is only logged: the pods are planned again in any case.
 */
export async function tellWaitingPods(deps: Told, claim: NodeClaim, why: string, signal: AbortSignalLike): Promise<void> {
  const told = await settle(async () => {
    for (const pod of (await waitingFor(deps, claim, signal)).slice(0, MOST_TOLD)) {
      const subject = { kind: 'pod', name: pod.key } as const
      const message = `nodeclaim ${claim.name}, which was meant for this pod, failed to launch: ${why}`.slice(0, 500)
      const reason = 'InsufficientCapacityError'
      await deps.api.publish({ subject, uid: pod.uid, type: 'Warning', reason, message, key: reason }, signal)
    }
  })
  if (!told.ok) logRefused(deps, `to tell the pods of nodeclaim ${claim.name} that it got no machine`, problemOf(told.error))
}

async function waitingFor({ ledger, readClusterState }: Told, { name }: NodeClaim, signal: AbortSignalLike): Promise<readonly Pod[]> {
  const loaded = await ledger.load(signal)
  const nominations = loaded.ok ? (loaded.value?.value.nominations ?? []) : []
  const meant = new Set(nominations.flatMap(({ claim, pod }) => (claim === name ? [pod] : [])))
  if (meant.size === 0) return []
  const state = await readClusterState?.(signal)
  return (state?.objects().pod ?? []).filter((pod) => meant.has(pod.uid) && isWaiting(pod))
}

/** A pod that got a node meanwhile, that has ended or is being deleted has no use for it. Nor has one that a disruption moves. */
function isWaiting({ nodeName, phase, deletedAt }: Pod): boolean {
  return nodeName === undefined && phase === 'Pending' && deletedAt === undefined
}
