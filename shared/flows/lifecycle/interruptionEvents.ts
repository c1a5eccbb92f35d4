import { settle } from '../../base/concurrency.ts'
import { nodeEvent, warning } from '../../engine/lifecycle/claimStatus.ts'
import { type ConditionUpdate, DISRUPTION_REASON, findCondition, setCondition } from '../../model/condition.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { formatTimestamp } from '../../model/time.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/** Azure's names of notices and annotations, with the reason of the Event. The reasons are those of Karpenter. */
const EVENT_REASONS: ReadonlyMap<string, string> = new Map([
  ['Preempt', 'SpotInterrupted'],
  ['VirtualMachinePreempted', 'SpotInterrupted'],
  ['Terminate', 'InstanceTerminating'],
  ['VirtualMachineDeallocationInitiated', 'InstanceStopping'],
  ['Freeze', 'InstanceUnhealthy'],
  ['Reboot', 'InstanceUnhealthy'],
  ['Redeploy', 'InstanceUnhealthy'],
])

/** The reason of the Event. A name that Azure adds later has the reason of its effect. */
function eventReasonOf({ reason, when }: Pick<Interruption, 'reason' | 'when'>): string {
  return EVENT_REASONS.get(reason) ?? (when === 'passing' ? 'InstanceUnhealthy' : 'InstanceTerminating')
}

const EFFECTS: { readonly [When in Interruption['when']]: string } = {
  announced: 'the machine ends, so its pods are evicted and planned again',
  happened: 'the machine has ended, so its pods are planned again',
  passing: 'the machine is paused, restarted or moved, and its node stays',
}

/** Reports whether Azure took the spot machine. A person may also stop or delete one. */
export function isEviction(interruption: Interruption): boolean {
  return eventReasonOf(interruption) === 'SpotInterrupted'
}

/** The reason in Karpenter's metrics: `spot_interrupted`. */
export function metricReasonOf(interruption: Interruption): string {
  return eventReasonOf(interruption)
    .replaceAll(/(?<=.)[A-Z]/g, '_$&')
    .toLowerCase()
}

/** What Azure said of the machine, and what follows. */
function interruptionText({ reason, when, notBefore }: Interruption): string {
  const at = notBefore === undefined ? '' : `, not before ${formatTimestamp(notBefore)}`
  return `Azure ${when === 'happened' ? 'reported' : 'announced'} ${reason}${at}: ${EFFECTS[when]}`
}

/** The Events on the NodeClaim and, while it exists, on the Node. */
export function interruptionEvents(claim: NodeClaim, node: Node | undefined, interruption: Interruption): readonly ClusterEvent[] {
  const event = warning(claim, eventReasonOf(interruption), interruptionText(interruption))
  return node === undefined ? [event] : [event, nodeEvent(node, event)]
}

/**
 * Writes to the claim why it ends, for the Events of its pods and for explanations. Returns the claim as it is then. If the write
 * fails, the claim stays as it is, since the end of the machine does not wait.
 */
export async function markInterrupted(
  deps: Pick<ClusterDeps, 'api' | 'clock'>,
  claim: NodeClaim,
  interruption: Interruption,
  signal: AbortSignalLike,
): Promise<NodeClaim> {
  const { conditions } = claim.status
  const update: ConditionUpdate = {
    type: DISRUPTION_REASON,
    status: 'True',
    reason: eventReasonOf(interruption),
    message: interruptionText(interruption),
  }
  const said = findCondition(conditions, DISRUPTION_REASON)
  if (said?.status === 'True' && (said.reason === update.reason || claim.meta.deletedAt !== undefined)) return claim
  const { generation, createdAt } = claim.meta
  const next = setCondition(conditions, update, { generation, createdAt }, deps.clock.now())
  const marked = { ...claim, status: { ...claim.status, conditions: next } }
  const written = await settle(() => deps.api.patchClaimStatus(claim, marked.status, signal))
  return written.ok && written.value.ok ? written.value.value : marked
}

/** What Azure, or a node, says about the end or a pause of a machine. */
export type Interruption = {
  readonly claim: NodeClaimName
  /** A notice from a node counts only for a spot machine, which Azure may evict at any time. A notice from Azure counts for the machine it names. */
  readonly saidBy: 'node' | 'azure'
  /** Resource id of the machine. Absent in notices from a node. */
  readonly resourceId?: string
  /** `announced`: the machine ends soon. `happened`: it is gone already. `passing`: it is paused, restarted or moved, and stays. */
  readonly when: 'announced' | 'happened' | 'passing'
  /** The machine may be evicted from this time on. Absent: the time is unknown, so it may be evicted at once. */
  readonly notBefore?: EpochMs
  readonly eventId: string
  /** Azure's name of the notice or annotation. */
  readonly reason: string
}
