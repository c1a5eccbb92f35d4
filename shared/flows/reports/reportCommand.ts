import type { DisruptionBlock } from '../../engine/disruption/commands/liveCheck.ts'
import { nodeEvent } from '../../engine/lifecycle/ending.ts'
import type { DeleteClaim } from '../../model/decision.ts'
import type { CommandCandidate } from '../../model/disruptionCommand.ts'
import { priceText } from '../../model/inWords.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { traceIn } from '../../model/trace.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { measureDisrupted } from './commandMetrics.ts'
import { claimFields, usd } from './reportClaim.ts'

type Candidate = Pick<CommandCandidate, 'claim' | 'uid'>

/** Publishes on the claims, with Karpenter's reason, what blocks their disruption. A repeated report is the same Event. */
export async function reportBlocked(
  deps: ClusterDeps,
  candidates: readonly Candidate[],
  { code, message }: DisruptionBlock,
  signal: AbortSignalLike,
): Promise<void> {
  for (const { claim, uid } of candidates) {
    deps.telemetry.info(`nodeclaim ${claim} stays for now: ${message}`, { cluster: deps.cluster, claim, code })
    const subject = { kind: 'nodeClaim', name: claim } as const
    await deps.api.publish({ subject, uid, type: 'Normal', reason: 'DisruptionBlocked', message, key: code }, signal)
  }
}

/** Reports that a command deletes a claim. */
export async function reportDisrupted(
  deps: ClusterDeps,
  { claim: name, because, saves, command, pods = [] }: DeleteClaim,
  claim: NodeClaim,
  node: Node | undefined,
  signal: AbortSignalLike,
): Promise<void> {
  const { decision: _, ...fields } = claimFields(deps, claim)
  deps.telemetry.event('disruption.decision', { ...fields, reason: because, savingsPerHour: usd(saves?.price) }, traceIn(claim))
  measureDisrupted(deps, claim, { because, pods: pods.length })
  const saved = saves?.price === undefined ? '' : `, saves ${priceText(saves)}`
  deps.telemetry.info(`nodeclaim ${name} is taken away: ${because}${saved}`, {
    cluster: deps.cluster,
    claim: name,
    because,
    size: saves?.size,
    microUsdPerHour: saves?.price,
  })
  // The decision already publishes the Event of a command without replacements.
  if (command === undefined) return
  const subject = { kind: 'nodeClaim', name } as const
  const event = {
    subject,
    uid: claim.meta.uid,
    type: 'Normal',
    reason: 'DisruptionTerminating',
    message: `Disrupting NodeClaim: ${because}`,
  } as const
  await deps.api.publish(event, signal)
  if (node !== undefined) await deps.api.publish({ ...nodeEvent(node, event), message: `Disrupting Node: ${because}` }, signal)
}
