import { settle } from '../../base/concurrency.ts'
import { canonicalJson } from '../../base/json.ts'
import type { Result } from '../../base/result.ts'
import { warning } from '../../engine/lifecycle/claimStatus.ts'
import { subjectOf } from '../../model/change.ts'
import type { ObjectKind } from '../../model/clusterObjects.ts'
import type { Action } from '../../model/decision.ts'
import type { ClusterId, NodeClaimName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { Fault, type Problem, type ProblemCode, problem } from '../../model/problem.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { WorkKey } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { type ClusterDeps, logRefused, problemOf } from '../deps/clusterDeps.ts'

/** An action that only reports, as a status, an annotation of a NodePool or an Event. It creates and deletes nothing. */
export type ReportAction = Extract<
  Action,
  {
    readonly kind:
      | 'patchNodeClassStatus'
      | 'patchNodePoolStatus'
      | 'annotateNodePool'
      | 'patchNodeOverlayStatus'
      | 'patchCapacityBufferStatus'
      | 'publish'
  }
>

const REFUSALS: ReadonlySet<ProblemCode> = new Set(['KUBE.INVALID', 'KUBE.FORBIDDEN'])

/** The name of the action in log messages. */
export function nameOfReportAction(action: ReportAction): string {
  switch (action.kind) {
    case 'patchNodeClassStatus':
      return `the status of aksnodeclass ${action.nodeClass}`
    case 'patchNodePoolStatus':
      return `the status of nodepool ${action.nodePool}`
    case 'annotateNodePool':
      return `the annotations of nodepool ${action.nodePool}`
    case 'patchNodeOverlayStatus':
      return `the status of nodeoverlay ${action.nodeOverlay}`
    case 'patchCapacityBufferStatus':
      return `the status of capacitybuffer ${action.capacityBuffer}`
    case 'publish':
      return `an event about ${action.event.subject.kind} ${action.event.subject.name}`
  }
}

/**
 * Writes what an action reports. An object that is gone or was changed meanwhile is judged again by the next decision. A write that the API server
 * refuses is logged. It is not tried again before the next decision, since only an operator can allow it.
 */
export async function reportStatus(deps: ClusterDeps, action: ReportAction, signal: AbortSignalLike): Promise<void> {
  const told = await write(deps, action, signal)
  if (told && !told.ok && REFUSALS.has(told.error.code)) logRefused(deps, nameOfReportAction(action), told.error)
}

async function write({ api }: ClusterDeps, action: ReportAction, signal: AbortSignalLike): Promise<Result<void, Problem> | void> {
  switch (action.kind) {
    case 'patchNodeClassStatus': {
      const { kind: _, nodeClass, ...status } = action
      return api.patchNodeClassStatus(nodeClass, status, signal)
    }
    case 'patchNodePoolStatus': {
      const { kind: _, nodePool, ...status } = action
      return api.patchNodePoolStatus(nodePool, status, signal)
    }
    case 'annotateNodePool':
      return api.annotateNodePool(action.nodePool, action.annotations, signal)
    case 'patchNodeOverlayStatus':
      return api.patchNodeOverlayStatus(action.nodeOverlay, { conditions: action.conditions }, signal)
    case 'patchCapacityBufferStatus':
      return api.patchCapacityBufferStatus(action.capacityBuffer, action.status, signal)
    case 'publish':
      return api.publish(action.event, signal)
  }
}

/**
 * Reports that the API server refused a write for the claim, because of a policy or a validation rule of the CRD. The step is tried again at the pace
 * of its requeues, so nothing else has to be done once the rule is fixed.
 */
export async function reportRefusal(deps: ClusterDeps, claim: NodeClaim, problem: Problem, signal: AbortSignalLike): Promise<void> {
  const message = `a step of nodeclaim ${claim.name} was refused: ${problem.message}`
  deps.telemetry.warn(message, { cluster: deps.cluster, claim: claim.name, code: problem.code, path: problem.path })
  await deps.api.publish({ ...warning(claim, 'StepRefused', message), key: 'StepRefused' }, signal)
}

export type InvalidObject = { readonly kind: ObjectKind; readonly key: string; readonly problem: Problem }

/** An API server keeps an Event for an hour. */
const TOLD_AGAIN = durationMs(45 * 60_000)

/** When this process told of an object, by the state that holds the object. */
const told = new WeakMap<object, Map<string, EpochMs>>()

/**
 * Tells of objects that cannot be read, and that decisions are made without: as an Event on the object, and in the log. Each process tells of an
 * object once, and again while it stays so.
 */
export async function reportInvalid(
  deps: Pick<ClusterDeps, 'api' | 'clock' | 'cluster' | 'telemetry'>,
  state: { invalid(): readonly InvalidObject[] },
  signal: AbortSignalLike,
): Promise<void> {
  const now = deps.clock.now()
  const before = told.get(state) ?? new Map<string, EpochMs>()
  const after = new Map<string, EpochMs>()
  for (const invalid of state.invalid()) {
    const text = canonicalJson([invalid.kind, invalid.key, invalid.problem.message])
    const at = before.get(text)
    after.set(text, at ?? now)
    if (at !== undefined && now < later(at, TOLD_AGAIN)) continue
    after.set(text, now)
    await tell(deps, invalid, signal)
  }
  told.set(state, after)
}

async function tell(
  deps: Pick<ClusterDeps, 'api' | 'cluster' | 'telemetry'>,
  { kind, key, problem: { code, message } }: InvalidObject,
  signal: AbortSignalLike,
): Promise<void> {
  const said = `joiner cannot read the object, and decides without it: ${message}; to do: correct that field`
  deps.telemetry.warn(said, { cluster: deps.cluster, code, kind, object: key })
  const subject = subjectOf(kind, key)
  if (subject === undefined) return
  const event = { subject, type: 'Warning', reason: 'Unreadable', message: `${said} (${code})` } as const
  const published = await settle(() => deps.api.publish(event, signal))
  if (!published.ok) logRefused(deps, `an event about ${kind} ${key}`, problemOf(published.error))
}

/** What fails: the key of a cluster's work, or the events about machines. */
export type FailingWork = {
  readonly key: WorkKey | 'interruption'
  readonly cluster?: ClusterId
  readonly claim?: NodeClaimName
}

/** Says that work failed at every try: as an event that counts by key, and in the log. */
export function tellFailing(telemetry: Telemetry, { key, cluster, claim }: FailingWork, { code, message }: Problem): void {
  telemetry.event('work.failed', { cluster, key, errorCode: code })
  telemetry.error(`work on ${key} failed at every try: ${message}`, { cluster, claim, code })
}

/** The problem behind what work threw. A bug throws no problem. */
export function failureOf(thrown: unknown): Problem {
  return thrown instanceof Fault ? thrown.problem : problem('INTERNAL.FAILED', `a bug of Joiner: ${String(thrown)}`)
}
