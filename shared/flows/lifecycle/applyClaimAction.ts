import { assertNever, InternalError, type Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { FAILED_LATE } from '../../engine/lifecycle/liveness.ts'
import { failureReport } from '../../engine/offering/sizeReports.ts'
import { isAsked } from '../../model/askedCores.ts'
import type { ClaimAction, ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import { FINALIZER, LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Problem, ProblemCode } from '../../model/problem.ts'
import type { SizeFailure } from '../../model/sizeReport.ts'
import { onlyFor } from '../../model/unavailableOffering.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClaimPatch } from '../../ports/clusterApi.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { measureEnded, measureLaunchFailed, measureReboot, reasonOf } from '../reports/claimMetrics.ts'
import { reportReached, reportTerminated, reportUnavailable } from '../reports/reportClaim.ts'
import { tellWaitingPods } from './tellWaitingPods.ts'
import { launchesOf } from './tryCandidates.ts'

/**
 * The outcome of an action: done, lost against another writer, refused, or nothing more to do before a time. `changed` means that it changed claim,
 * node or machine.
 */
export type Applied =
  | { readonly kind: 'done'; readonly observation: ClaimObservation; readonly changed: boolean }
  /** `isOfNode`: only the write of the node was lost. The claim may still be as observed. */
  | { readonly kind: 'raced'; readonly isOfNode?: true }
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** `dueAt`: the time at which the claim needs a run, by a requeue or by the resync. */
  | {
      readonly kind: 'wait'
      readonly observation: ClaimObservation
      readonly wakeAt: EpochMs
      readonly dueAt?: EpochMs
      readonly changed: boolean
    }

/** Every action except the launch, the restart, and the actions on pods, which have flows of their own. */
export type PlainClaimAction = Exclude<ClaimAction, PodAction | { readonly kind: 'launch' | 'restartMachine' }>

/** Carries out one lifecycle action. Each action may be repeated after a crash: the second run finds the effect of the first. */
export async function applyClaimAction(
  deps: ClusterDeps,
  observation: ClaimObservation,
  action: PlainClaimAction,
  signal: AbortSignalLike,
): Promise<Applied> {
  const { claim } = observation
  const changing = done(observation, true)
  /** The result of actions that each run may repeat. They count as no change. */
  const repeated = done(observation, false)
  switch (action.kind) {
    case 'addFinalizer':
      return patched(observation, await deps.api.patchClaim(claim, { finalizers: [...claim.meta.finalizers, FINALIZER] }, signal))
    case 'removeFinalizer':
      return removeFinalizer(deps, observation, signal)
    case 'patchClaim':
      return patched(observation, await deps.api.patchClaim(claim, patchOf(action), signal))
    case 'patchStatus': {
      const status = await deps.api.patchClaimStatus(claim, action.status, signal)
      if (status.ok) reportReached(deps, claim, status.value, observation.nodes[0])
      if (status.ok && action.reboot !== undefined) measureReboot(deps, action.reboot)
      return patched(observation, status)
    }
    case 'patchNode': {
      const applied = written(await deps.api.patchNode(action.node, action.patch, signal), (node) =>
        done({ ...observation, nodes: observation.nodes.map((each) => (each.name === node.name ? node : each)) }, true),
      )
      return applied.kind === 'raced' ? { kind: 'raced', isOfNode: true } : applied
    }
    case 'removeNodeFinalizer': {
      const finalizers = action.node.meta.finalizers.filter((finalizer) => finalizer !== FINALIZER)
      return written(await deps.api.patchNode(action.node, { finalizers }, signal), () => changing)
    }
    case 'deleteNode':
      await deps.api.deleteNode(action.node.name, action.node.meta.uid, signal)
      return changing
    case 'deleteBootstrapToken':
      await deps.api.deleteBootstrapToken(claim.name, signal, launchesOf(claim))
      return repeated
    case 'terminateInstance':
      await deps.cloud.terminate(claim.name, signal)
      return repeated
    case 'markUnavailable':
      reportUnavailable(deps, await deps.offerings.mark(blockedBy(deps, action), observation.now, signal))
      return repeated
    case 'reportSize':
      return reportSize(deps, observation, action.failure, signal)
    case 'deleteClaim':
      return (await endClaim(deps, claim, action, signal)) ? changing : { kind: 'raced' }
    case 'publish': {
      const { event, ends } = action
      await deps.api.publish(event, signal, ends && (() => countEnded(deps, claim, event, ends)))
      return repeated
    }
    default:
      return assertNever(action)
  }
}

/** Applies the step that follows from what Azure answered. */
export async function applyAnswer(
  deps: ClusterDeps,
  observation: ClaimObservation,
  step: ClaimStep,
  signal: AbortSignalLike,
): Promise<Applied> {
  let seen = observation
  let changed = false
  for (const action of step.actions) {
    if (action.kind === 'launch' || action.kind === 'restartMachine' || isPodAction(action))
      throw new InternalError(`claim ${observation.claim.name} wants ${action.kind} as the answer to a call to Azure`)
    const applied = await applyClaimAction(deps, seen, action, signal)
    if (applied.kind !== 'done') return applied
    seen = applied.observation
    changed ||= applied.changed
  }
  return step.wakeAt === undefined
    ? done(seen, changed)
    : defined({ kind: 'wait' as const, observation: seen, wakeAt: step.wakeAt, dueAt: step.dueAt, changed })
}

function patchOf({ labels, annotations, annotationsGone }: Extract<ClaimAction, { readonly kind: 'patchClaim' }>): ClaimPatch {
  return defined({ labels, annotations, annotationsGone })
}

async function removeFinalizer(deps: ClusterDeps, observation: ClaimObservation, signal: AbortSignalLike): Promise<Applied> {
  const { claim } = observation
  const finalizers = claim.meta.finalizers.filter((finalizer) => finalizer !== FINALIZER)
  const removed = await deps.api.patchClaim(claim, { finalizers }, signal)
  if (removed.ok) await hasEnded(deps, claim, signal)
  return patched(observation, removed)
}

async function reportSize(
  { cluster, offerings }: ClusterDeps,
  observation: ClaimObservation,
  kind: SizeFailure,
  signal: AbortSignalLike,
): Promise<Applied> {
  const { claim, now } = observation
  const report = failureReport(claim, { kind, cluster, at: now })
  if (report !== undefined) await offerings.report([report], now, signal)
  return done(observation, false)
}

function countEnded(deps: ClusterDeps, claim: NodeClaim, { reason }: ClusterEvent, errorCode: ProblemCode): void {
  measureEnded(deps, claim, reasonOf(errorCode))
  if (reason !== FAILED_LATE) return
  measureLaunchFailed(deps, { phase: 'async', capacityType: claim.meta.labels[LABEL.capacityType], errorCode })
}

/** Reports the end of the claim, and returns the cores of its machine to the quotas. An old machine is counted by the usage only. */
async function hasEnded(deps: ClusterDeps, claim: NodeClaim, signal: AbortSignalLike): Promise<void> {
  reportTerminated(deps, claim)
  const { cluster, offerings, clock } = deps
  const { name, meta } = claim
  const now = clock.now()
  if (!isAsked({ at: meta.createdAt }, now)) return
  const asked = await offerings.asked(now, signal)
  if (asked.some((each) => each.claim === name && each.cluster === cluster)) await offerings.withdraw({ cluster, claim: name }, now, signal)
}

function blockedBy({ cluster }: ClusterDeps, { isOwn, offerings }: Extract<ClaimAction, { readonly kind: 'markUnavailable' }>) {
  return isOwn === true ? onlyFor(cluster, offerings) : offerings
}

function patched(observation: ClaimObservation, result: Result<NodeClaim, Problem>): Applied {
  return written(result, (claim) => done({ ...observation, claim }, true))
}

export function done(observation: ClaimObservation, changed: boolean): Applied {
  return { kind: 'done', observation, changed }
}

/** The outcome of a write. KUBE.CONFLICT and KUBE.NOT_FOUND mean that the object changed meanwhile: the next observation shows how. */
export function written<Value>(result: Result<Value, Problem>, applied: (value: Value) => Applied): Applied {
  if (result.ok) return applied(result.value)
  const { code } = result.error
  return code === 'KUBE.CONFLICT' || code === 'KUBE.NOT_FOUND' ? { kind: 'raced' } : { kind: 'refused', problem: result.error }
}

/**
 * Deletes a claim that failed, and asks for a decision that plans its pods again at once. Returns false if the API server has no such claim: another
 * writer was faster.
 */
async function endClaim(
  deps: ClusterDeps,
  claim: NodeClaim,
  { code, message }: Extract<ClaimAction, { readonly kind: 'deleteClaim' }>,
  signal: AbortSignalLike,
): Promise<boolean> {
  if ((await deps.api.deleteClaim(claim.name, claim.meta.uid, signal)) === undefined) return false
  deps.telemetry.warn(`nodeclaim ${claim.name} is ended: ${message}`, { cluster: deps.cluster, claim: claim.name, code })
  deps.queue.decide({ because: 'capacity', eventAt: deps.clock.now() })
  if (code === 'CLAIM.INSUFFICIENT_CAPACITY') await tellWaitingPods(deps, claim, message, signal)
  return true
}

/** The most pods of one node that are removed at the same time. */
export const PODS_AT_ONCE = 8

/** An action that removes a pod from a node. */
export type PodAction = Extract<ClaimAction, { readonly kind: 'evictPod' | 'deletePod' }>

export function isPodAction(action: ClaimAction): action is PodAction {
  return action.kind === 'evictPod' || action.kind === 'deletePod'
}
