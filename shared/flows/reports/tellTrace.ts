import { LABEL } from '../../model/labels.ts'
import type { Intent } from '../../model/ledger.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { SpanName } from '../../model/telemetryContract.ts'
import { type TraceParent, traceIn } from '../../model/trace.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

type Deps = Pick<ClusterDeps, 'cluster' | 'telemetry' | 'clock'>

/** What began longer ago is not taken any more: Azure Monitor refuses rows that are older than two days. */
const LONGEST_WAIT: DurationMs = durationMs(24 * 3_600_000)

/** What is known of a machine that is there: since when it was tried to make it, when it came into being, and when that was seen. */
type Found = { readonly since: EpochMs; readonly machineAt: EpochMs; readonly at: EpochMs }

/** When the parts of a machine began to be made, as far as the launch made them. */
export type PartTimes = { readonly nic?: EpochMs; readonly vm?: EpochMs }

/** From the oldest pod that the claim is for to the claim made. */
export function tellDecided(deps: Deps, claim: NodeClaim, { decidedAt, look }: Intent, podsSince: EpochMs | undefined): void {
  if (look === undefined) return
  const now = deps.clock.now()
  const heardAt = latest(look.heardAt, podsSince ?? look.heardAt)
  const madeAt = later(decidedAt, look.decideMs)
  const oldest = epochMs(Math.max(podsSince ?? heardAt, now - LONGEST_WAIT))
  tellStages(deps, claim, [
    ['pending', oldest, latest(heardAt, oldest)],
    ['window', latest(heardAt, oldest), look.startedAt],
    ['decide', look.startedAt, madeAt],
    ['claim', madeAt, now],
  ])
}

/**
 * Interface and machine, by whoever wrote into the claim that it is launched. One that found them made tells that they were made since an
 * earlier process began to.
 */
export function tellMade(deps: Deps, claim: NodeClaim, parts: PartTimes, found: Found): void {
  const { nic = found.since, vm = found.machineAt } = parts
  tellStages(deps, claim, [
    ['nic', nic, vm],
    ['vm', vm, found.at],
  ])
}

/** `nodeAt`: since when its node is there. */
export function tellRegistered(deps: Deps, claim: NodeClaim, launchedAt: EpochMs | undefined, nodeAt: EpochMs | undefined): void {
  const now = deps.clock.now()
  const joined = nodeAt ?? now
  tellStages(deps, claim, [
    ['boot', launchedAt ?? joined, joined],
    ['register', joined, now],
  ])
}

export function tellInitialized(deps: Deps, claim: NodeClaim, registeredAt: EpochMs | undefined): void {
  const now = deps.clock.now()
  tellStages(deps, claim, [['initialize', registeredAt ?? now, now]])
}

function tellStages(
  { cluster, telemetry }: Deps,
  claim: NodeClaim,
  stages: readonly (readonly [name: SpanName, from: EpochMs, to: EpochMs])[],
): void {
  const trace = traceIn(claim)
  if (trace === undefined) return
  const fields = { cluster, nodePool: claim.meta.labels[LABEL.nodePool], nodeClaim: claim.name }
  // Kubernetes' own times are whole seconds, so that a moment may seem to come before its cause.
  for (const [name, from, to] of stages) telemetry.span(name, { trace, from, to: latest(from, to), fields })
}

function latest(one: EpochMs, other: EpochMs): EpochMs {
  return epochMs(Math.max(one, other))
}

/** The same telemetry for one who works on one claim: its lines and events belong to the trace. */
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
