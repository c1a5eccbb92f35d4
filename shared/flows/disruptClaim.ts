import { settle } from '../base/bounded.ts'
import type { Action } from '../model/decision.ts'
import { TAINT_KEY } from '../model/labels.ts'
import type { Node } from '../model/node.ts'
import { nodeNameOf } from '../model/nodeClaim.ts'
import type { Pod } from '../model/pod.ts'
import type { Taint } from '../model/taint.ts'
import { traceIn } from '../model/trace.ts'
import { formatPrice } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { claimFields, usd } from './tellClaim.ts'
import { traceOfMessage } from './tellTrace.ts'

const DISRUPTED: Taint = { key: TAINT_KEY.disrupted, effect: 'NoSchedule' }

/**
 * Takes an empty node away. The decision stands on a picture that may be moments old, so the node is closed first and then
 * looked at live: a pod that slipped in meanwhile keeps it, and the node is opened again, as it is when nobody can tell.
 */
export async function disruptClaim(
  deps: ClusterDeps,
  action: Extract<Action, { readonly kind: 'deleteClaim' }>,
  signal: AbortSignalLike,
): Promise<void> {
  const claim = await deps.api.getClaim(action.claim, signal)
  // The picture may not show yet that an earlier decision, or somebody by hand, took it away.
  if (claim === undefined || claim.meta.deletedAt !== undefined) return
  const node = await deps.api.getNode(nodeNameOf(claim, deps.settings.machineNames), signal)
  if (node && !(await closeIfEmpty(deps, node, signal))) return
  await deps.api.deleteClaim(action.claim, action.uid, signal)
  const sentAt = deps.clock.now()
  await deps.queue.send(
    { kind: 'nodeClaim', cluster: deps.cluster, claim: action.claim, follow: true, sentAt, attempt: 0, ...traceOfMessage(claim) },
    0,
    signal,
  )
  const { decision: _, ...fields } = claimFields(deps, claim)
  deps.telemetry.event(
    'disruption.decision',
    { ...fields, reason: action.because, savingsPerHour: usd(action.saves?.price) },
    traceIn(claim),
  )
  const saved = action.saves?.price === undefined ? '' : `, saves ${formatPrice(action.saves.price)}`
  deps.telemetry.info(`nodeclaim ${action.claim} is taken away: ${action.because}${saved}`, {
    cluster: deps.cluster,
    claim: action.claim,
    because: action.because,
    size: action.saves?.size,
    microUsdPerHour: action.saves?.price,
  })
}

async function closeIfEmpty(deps: ClusterDeps, node: Node, signal: AbortSignalLike): Promise<boolean> {
  // Looked at before anything is written: a node that is closed and opened at each try is news each time, and has the next try made at once.
  if ((await deps.api.listPodsOn(node.name, signal, 'recent')).some(occupies)) return false
  const others = node.taints.filter((taint) => taint.key !== DISRUPTED.key)
  const closed = await deps.api.patchNode(node, { taints: [...others, DISRUPTED] }, signal)
  if (!closed.ok) return false
  const pods = await settle(() => deps.api.listPodsOn(node.name, signal))
  if (pods.ok && !pods.value.some(occupies)) return true
  await deps.api.patchNode(closed.value, { taints: others }, signal)
  if (!pods.ok) throw pods.error
  deps.telemetry.info(`node ${node.name} got a pod while it was being closed and stays`, { cluster: deps.cluster, node: node.name })
  return false
}

/** Daemons and static pods come with the node and do not keep it; finished pods need no node. */
function occupies(pod: Pod): boolean {
  const comesWithNode = pod.owner?.kind === 'DaemonSet' || pod.owner?.kind === 'Node'
  return !comesWithNode && pod.phase !== 'Succeeded' && pod.phase !== 'Failed'
}
