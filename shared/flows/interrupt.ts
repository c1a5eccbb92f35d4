import type { NodeClaimName } from '../model/ids.ts'
import { ANNOTATION, TAINT_KEY } from '../model/labels.ts'
import type { Node } from '../model/node.ts'
import { type NodeClaim, nodeNameOf } from '../model/nodeClaim.ts'
import type { Taint } from '../model/taint.ts'
import { durationMs, type EpochMs, later } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'

export type Interruption = {
  readonly claim: NodeClaimName
  /** `announced`: the machine ends soon. `happened`: it is gone already. */
  readonly when: 'announced' | 'happened'
  /** The machine may be taken from this time on. Absent: unknown, so at once. */
  readonly notBefore?: EpochMs
  readonly eventId: string
  readonly reason: string
}

const DISRUPTED: Taint = { key: TAINT_KEY.disrupted, effect: 'NoSchedule' }
/** Observed notices are often this short, whatever they promise. */
const SHORTEST_NOTICE = durationMs(25_000)
/** A place that just lost a spot machine is likely to lose the next one too. */
const SPOT_AVOIDED_FOR = durationMs(10 * 60_000)

/**
 * A machine that Azure takes away: close the node, end its claim so that the replacement is decided at once, and start the
 * pods' moves, in that order. The deadline on the claim bounds what budgets may hold up. Doing it twice changes nothing.
 */
export async function interrupt(deps: ClusterDeps, interruption: Interruption, signal: AbortSignalLike): Promise<'handled' | 'unknown'> {
  const claim = await deps.api.getClaim(interruption.claim, signal)
  if (claim === undefined) return 'unknown'
  const now = deps.clock.now()
  const node = await deps.api.getNode(nodeNameOf(claim, deps.settings.machineNames), signal)
  if (node) await close(deps, node, signal)
  await setDeadline(deps, claim, deadlineOf(interruption, now), signal)
  await deps.api.deleteClaim(claim.name, claim.meta.uid, signal)
  await Promise.all([
    avoidThePlace(deps, claim, interruption, now, signal),
    node ? evictAll(deps, node, signal) : undefined,
    deps.queue.send({ kind: 'nodeClaim', cluster: deps.cluster, claim: claim.name, follow: true, sentAt: now, attempt: 0 }, 0, signal),
    deps.queue.ring({ kind: 'doorbell', cluster: deps.cluster, because: 'interruption', eventAt: now, urgent: true }, 0, signal),
  ])
  deps.telemetry.warn(`nodeclaim ${claim.name} is interrupted: ${interruption.reason}`, {
    cluster: deps.cluster,
    claim: claim.name,
    eventId: interruption.eventId,
    when: interruption.when,
  })
  return 'handled'
}

function deadlineOf({ when, notBefore }: Interruption, now: EpochMs): EpochMs {
  if (when === 'happened') return now
  const shortest = later(now, SHORTEST_NOTICE)
  return notBefore !== undefined && notBefore < shortest ? notBefore : shortest
}

async function close(deps: ClusterDeps, node: Node, signal: AbortSignalLike): Promise<void> {
  if (node.taints.some((taint) => taint.key === DISRUPTED.key)) return
  const closed = await deps.api.patchNode(node, { taints: [...node.taints, DISRUPTED] }, signal)
  if (closed.ok) return
  const again = await deps.api.getNode(node.name, signal)
  if (again) await deps.api.patchNode(again, { taints: [...again.taints, DISRUPTED] }, signal)
}

/** An earlier deadline stays: whoever set it had a reason. */
async function setDeadline(deps: ClusterDeps, claim: NodeClaim, deadline: EpochMs, signal: AbortSignalLike): Promise<void> {
  if (claim.meta.annotations[ANNOTATION.terminationTimestamp] !== undefined) return
  const text = new Date(deadline).toISOString()
  await deps.api.patchClaim(claim, { annotations: { [ANNOTATION.terminationTimestamp]: text } }, signal)
}

async function evictAll(deps: ClusterDeps, node: Node, signal: AbortSignalLike): Promise<void> {
  const pods = await deps.api.listPodsOn(node.name, signal)
  const moving = pods.filter((pod) => pod.owner?.kind !== 'DaemonSet' && pod.owner?.kind !== 'Node' && pod.deletedAt === undefined)
  await Promise.all(moving.map((pod) => deps.api.evict(pod, signal)))
}

async function avoidThePlace(
  deps: ClusterDeps,
  claim: NodeClaim,
  interruption: Interruption,
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<void> {
  const instance = await deps.cloud.get(claim.name, signal)
  if (instance?.capacityType !== 'spot') return
  const { size, zone, capacityType } = instance
  const scope = { kind: 'offering', size, zone, capacityType } as const
  await deps.offerings.mark(
    [{ scope, until: later(now, SPOT_AVOIDED_FOR), code: 'AZURE.ALLOCATION.ZONE', message: interruption.reason }],
    now,
    signal,
  )
}
