import { LABEL } from '../../model/labels.ts'
import type { Intent } from '../../model/ledger.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { SpanName } from '../../model/telemetryContract.ts'
import { type TraceParent, traceIn } from '../../model/trace.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

type Deps = Pick<ClusterDeps, 'cluster' | 'telemetry' | 'clock'>

/** Spans begin at most this long ago. Azure Monitor refuses rows that are older than two days. */
const LONGEST_WAIT: DurationMs = durationMs(24 * 3_600_000)

/** The times of a machine that exists: when the first attempt to create it began, when it was created, and when the process saw it. */
type Found = { readonly since: EpochMs; readonly machineAt: EpochMs; readonly at: EpochMs }

/** When the launch began to create each part of the machine. A part is absent if the launch did not create it. */
export type PartTimes = { readonly nic?: EpochMs; readonly vm?: EpochMs }

/** Reports the spans from the creation of the oldest pod that the claim is for to the creation of the claim. */
export function traceDecided(deps: Deps, claim: NodeClaim, { decidedAt, look }: Intent, podsSince: EpochMs | undefined): void {
  if (look === undefined) return
  const now = deps.clock.now()
  const heardAt = latest(look.heardAt, podsSince ?? look.heardAt)
  const madeAt = later(decidedAt, look.decideMs)
  const oldest = epochMs(Math.max(podsSince ?? heardAt, now - LONGEST_WAIT))
  traceStages(deps, claim, [
    ['pending', oldest, latest(heardAt, oldest)],
    ['window', latest(heardAt, oldest), look.startedAt],
    ['decide', look.startedAt, madeAt],
    ['claim', madeAt, now],
  ])
}

/**
 * Reports the spans of network interface and machine. Called by the process that wrote the launch to the claim. If it found a part instead of
 * creating it, the span covers the work of the earlier process.
 */
export function traceMade(deps: Deps, claim: NodeClaim, parts: PartTimes, found: Found): void {
  const { nic = found.since, vm = found.machineAt } = parts
  traceStages(deps, claim, [
    ['nic', nic, vm],
    ['vm', vm, found.at],
  ])
}

/** Reports the spans from the launch to the registration. `nodeAt`: when the node was created. */
export function traceRegistered(deps: Deps, claim: NodeClaim, launchedAt: EpochMs | undefined, nodeAt: EpochMs | undefined): void {
  const now = deps.clock.now()
  const joined = nodeAt ?? now
  traceStages(deps, claim, [
    ['boot', launchedAt ?? joined, joined],
    ['register', joined, now],
  ])
}

export function traceInitialized(deps: Deps, claim: NodeClaim, registeredAt: EpochMs | undefined): void {
  const now = deps.clock.now()
  traceStages(deps, claim, [['initialize', registeredAt ?? now, now]])
}

function traceStages(
  { cluster, telemetry }: Deps,
  claim: NodeClaim,
  stages: readonly (readonly [name: SpanName, from: EpochMs, to: EpochMs])[],
): void {
  const trace = traceIn(claim)
  if (trace === undefined) return
  const fields = { cluster, nodePool: claim.meta.labels[LABEL.nodePool], nodeClaim: claim.name }
  // Kubernetes' own times are whole seconds, so an effect may seem to come before its cause.
  for (const [name, from, to] of stages) telemetry.span(name, { trace, from, to: latest(from, to), fields })
}

function latest(one: EpochMs, other: EpochMs): EpochMs {
  return epochMs(Math.max(one, other))
}

/** The given telemetry with its lines and events in a trace. Without a trace, the telemetry itself. */
export function inTrace(telemetry: Telemetry, trace: TraceParent | undefined): Telemetry {
  if (trace === undefined) return telemetry
  return {
    ...telemetry,
    debug: (message, fields, other = trace) => telemetry.debug(message, fields, other),
    info: (message, fields, other = trace) => telemetry.info(message, fields, other),
    warn: (message, fields, other = trace) => telemetry.warn(message, fields, other),
    error: (message, fields, other = trace) => telemetry.error(message, fields, other),
    event: (name, fields, other = trace) => telemetry.event(name, fields, other),
  }
}
