import type { DisruptionBlock } from '../../engine/disruption/commands/sweep.ts'
import { nodeEvent } from '../../engine/lifecycle/claimStatus.ts'
import { findCondition } from '../../model/condition.ts'
import type { DeleteClaim } from '../../model/decision.ts'
import type { CommandCandidate } from '../../model/disruptionCommand.ts'
import type { LaunchChoice } from '../../model/instance.ts'
import { priceText } from '../../model/inWords.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { REBOOTING } from '../../model/reboot.ts'
import { timesRefused } from '../../model/refusalGrowth.ts'
import type { EventFields } from '../../model/telemetryContract.ts'
import { traceIn } from '../../model/trace.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { EpochMs, MicroUsdPerHour } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { measureDisrupted, measureNodeDrained } from './claimMetrics.ts'
import { traceInitialized, traceRegistered } from './reportTrace.ts'

type ClaimFields = Pick<
  EventFields<'nodeclaim.initialized'>,
  'cluster' | 'decision' | 'nodePool' | 'nodeClaim' | 'sku' | 'zone' | 'capacityType'
>

/** The fields of every telemetry event about a claim. The fields of the machine are undefined before the launch. */
export function claimFields({ cluster }: Pick<ClusterDeps, 'cluster'>, { name, meta }: NodeClaim): ClaimFields {
  const { labels, annotations } = meta
  return {
    cluster,
    decision: annotations[ANNOTATION.decision],
    nodePool: labels[LABEL.nodePool],
    nodeClaim: name,
    sku: labels[LABEL.instanceType],
    zone: labels[LABEL.zone],
    capacityType: labels[LABEL.capacityType],
  }
}

/** Reports that Azure accepted a machine at a time, or refused it with a code. */
export function reportLaunch(
  deps: ClusterDeps,
  claim: NodeClaim,
  { size, zone, capacityType, price, diskPrice }: LaunchChoice,
  at: EpochMs,
  errorCode?: ProblemCode,
): void {
  const choice = { sku: size, zone, capacityType }
  const from = Number(claim.meta.annotations[ANNOTATION.decidedAt] ?? claim.meta.createdAt)
  const launchSeconds = errorCode === undefined ? seconds(from, at) : undefined
  const fields = {
    ...claimFields(deps, claim),
    ...choice,
    errorCode,
    launchSeconds,
    pricePerHour: usd(price),
    diskPricePerHour: usd(diskPrice),
  }
  deps.telemetry.event('nodeclaim.launch', fields, traceIn(claim))
}

/**
 * Reports the conditions that a written status has reached for the first time. Only the process that wrote the status reports them, so it is done
 * once.
 */
export function reportReached(deps: ClusterDeps, before: NodeClaim, after: NodeClaim, node: Node | undefined): void {
  const now = deps.clock.now()
  const trace = traceIn(after)
  const reached = (type: string): boolean => reachedAt(before, type) === undefined && reachedAt(after, type) !== undefined
  if (reached('Registered')) {
    const launchedAt = reachedAt(after, 'Launched')
    const fields = { ...claimFields(deps, after), registrationSeconds: seconds(launchedAt, now) }
    deps.telemetry.event('nodeclaim.registered', fields, trace)
    traceRegistered(deps, after, launchedAt, node?.meta.createdAt)
  }
  if (reached('Drained')) measureNodeDrained(deps)
  // A node that is initialized again after a reboot did not start now.
  if (reached('Initialized') && findCondition(before.status.conditions, REBOOTING) === undefined) {
    const podsSince = after.meta.annotations[ANNOTATION.podsSince]
    const registeredAt = reachedAt(after, 'Registered')
    const fields = {
      ...claimFields(deps, after),
      initializationSeconds: seconds(registeredAt, now),
      readySeconds: seconds(after.meta.createdAt, now),
      podPendingSeconds: podsSince === undefined ? undefined : seconds(Number(podsSince), now),
    }
    deps.telemetry.event('nodeclaim.initialized', fields, trace)
    traceInitialized(deps, after, registeredAt)
  }
}

/** Reports the end of a claim. Called by the process that removed the finalizer. */
export function reportTerminated(deps: ClusterDeps, claim: NodeClaim): void {
  const now = deps.clock.now()
  const fields = {
    ...claimFields(deps, claim),
    terminationSeconds: seconds(claim.meta.deletedAt, now),
    lifetimeSeconds: seconds(claim.meta.createdAt, now),
  }
  deps.telemetry.event('nodeclaim.terminated', fields, traceIn(claim))
}

export function reportUnavailable(deps: ClusterDeps, offerings: readonly UnavailableOffering[]): void {
  const now = deps.clock.now()
  for (const offering of offerings) {
    const { scope, until, code } = offering
    const { kind } = scope
    deps.telemetry.event('offering.unavailable', {
      cluster: deps.cluster,
      sku: kind === 'offering' ? scope.size : kind === 'family' ? `family ${scope.family}` : undefined,
      zone: kind === 'capacityType' ? undefined : scope.zone,
      capacityType: scope.capacityType,
      errorCode: code,
      unavailableSeconds: seconds(now, until),
      refusals: timesRefused(offering),
    })
  }
}

/** The price in US dollars per hour. Undefined if the price is not known. */
export function usd(price: MicroUsdPerHour | undefined): number | undefined {
  return price === undefined ? undefined : price / 1_000_000
}

/** Seconds from one time to another, at least 0: Kubernetes' own times are whole seconds, so an effect may seem to come before its cause. */
export function seconds(from: EpochMs | number | undefined, to: EpochMs | number): number | undefined {
  return from === undefined || !Number.isFinite(from) ? undefined : Math.max(0, to - from) / 1_000
}

function reachedAt({ status }: NodeClaim, type: string): EpochMs | undefined {
  const condition = findCondition(status.conditions, type)
  return condition?.status === 'True' ? condition.lastTransitionAt : undefined
}

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
  { claim: name, because, saves, command, repair, pods = [] }: DeleteClaim,
  claim: NodeClaim,
  node: Node | undefined,
  signal: AbortSignalLike,
): Promise<void> {
  const { decision: _, ...fields } = claimFields(deps, claim)
  deps.telemetry.event('disruption.decision', { ...fields, reason: because, savingsPerHour: usd(saves?.price) }, traceIn(claim))
  measureDisrupted(deps, claim, { because, pods: pods.length, repair })
  const saved = saves?.price === undefined ? '' : `, saves ${priceText(saves)}`
  const fault = repair === undefined ? '' : ` (${repair.condition})`
  deps.telemetry.info(`nodeclaim ${name} is taken away: ${because}${fault}${saved}`, {
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
