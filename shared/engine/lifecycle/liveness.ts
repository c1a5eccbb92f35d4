import type { ClaimAction, ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { findCondition } from '../../model/condition.ts'
import { splitLink } from '../../model/conditionLinks.ts'
import { vmSizeName, zoneName } from '../../model/ids.ts'
import { FINALIZER, LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { DurationOrNever } from '../../model/nodePool.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { isRebooting } from '../../model/reboot.ts'
import { initializationTimeout, launchTimeout, registrationTimeout } from '../../model/timeouts.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../model/units.ts'
import { avoidedSpot, failedBoot, failedLate, isFailedBoot } from '../offering/sizeReports.ts'
import { awaitedSince, endClaim, isOpen, isTrue, since, statusActions, staysOpen } from './claimStatus.ts'
import { missingForInitialization } from './initialization.ts'
import { isReady } from './nodeState.ts'

const LAUNCH_TIMEOUT = 'LaunchTimeout'
const REGISTRATION_TIMEOUT = 'RegistrationTimeout'
const INITIALIZATION_TIMEOUT = 'InitializationTimeout'

/** Gives up on a machine that takes too long. Launch and registration are timed from the creation of the claim, readiness from registration. */
export function stepLiveness(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, now } = observation
  if (!isTrue(claim, 'Launched') && now >= launchDeadline(observation)) {
    const message = `nodeclaim ${claim.name} was not launched within ${inWords(launchTimeout(observation))}`
    const first = statusActions(observation, [staysOpen('Launched', LAUNCH_TIMEOUT, withCause(claim, message))])
    return endClaim(observation, { code: 'CLAIM.LAUNCH_TIMEOUT', message: withCause(claim, message), event: LAUNCH_TIMEOUT, first })
  }
  if (!isTrue(claim, 'Registered') && now >= registrationDeadline(observation)) {
    const message = `no node of nodeclaim ${claim.name} registered within ${inWords(registrationTimeout(observation))}`
    // The condition stays open: its clock does not start anew if the step is cut off before the deletion.
    const status = statusActions(observation, [staysOpen('Registered', REGISTRATION_TIMEOUT, message)])
    const first = [...avoidSize(observation, 'CLAIM.REGISTRATION_TIMEOUT', message), ...status]
    return endClaim(observation, { code: 'CLAIM.REGISTRATION_TIMEOUT', message, event: REGISTRATION_TIMEOUT, first })
  }
  return neverReady(observation)
}

/**
 * Gives up on a node that is not initialized in time. A node that never became ready runs no pod and never will. A ready node with a startup taint or
 * without a resource gets longer: somebody may be at work there, and its condition says what is awaited.
 */
function neverReady(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodes, now } = observation
  const [node] = nodes
  if (!isTrue(claim, 'Registered') || !isOpen(claim, 'Initialized') || node === undefined) return undefined
  const late = nodes.some(isReady) ? lacking(observation, node) : unready(observation, node)
  if (late === undefined || late.timeout === 'Never' || now < later(awaitedSince(claim), late.timeout)) return undefined
  const lacks = late.lacks ? `: ${late.lacks}` : ''
  const isRebooted = awaitedSince(claim) > since(claim, 'Registered')
  const then = isRebooted ? 'its reboot' : 'it joined'
  const message = `the node of nodeclaim ${claim.name} ${late.what} ${inWords(late.timeout)} after ${then}${lacks}`
  // A node that is ready, or was ready before, has booted. What it lacks does not come from its size.
  const avoided = isRebooted || nodes.some(isReady) ? [] : avoidSize(observation, 'CLAIM.INITIALIZATION_TIMEOUT', message)
  const first = [...avoided, ...statusActions(observation, [staysOpen('Initialized', INITIALIZATION_TIMEOUT, message)])]
  return endClaim(observation, { code: 'CLAIM.INITIALIZATION_TIMEOUT', message, event: INITIALIZATION_TIMEOUT, first })
}

const NOT_BOOTED: ClaimAction = { kind: 'reportSize', failure: 'notBooted' }

/** Another size is tried after a machine that never became a ready node. */
function avoidSize(observation: ClaimObservation, code: ProblemCode, message: string): readonly ClaimAction[] {
  const { [LABEL.instanceType]: size } = observation.claim.meta.labels
  if (size === undefined) return []
  const offerings = failedBoot({ size: vmSizeName(size), code, message }, observation)
  return offerings.length === 0 ? [] : [{ kind: 'markUnavailable', offerings }, NOT_BOOTED]
}

type Late = { readonly what: string; readonly timeout: DurationOrNever; readonly lacks: string | undefined }

function unready(observation: ClaimObservation, { conditions }: Node): Late {
  const lacks = conditions.find(({ type }) => type === 'Ready')?.message
  return { what: 'was not ready', timeout: registrationTimeout(observation), lacks }
}

function lacking(observation: ClaimObservation, node: Node): Late | undefined {
  const missing = missingForInitialization(observation.claim, node, durationMs(observation.now - awaitedSince(observation.claim)))
  const timeout = initializationTimeout(observation)
  return missing && { what: 'was ready but not initialized', timeout, lacks: missing.message }
}

export function launchDeadline(observation: ClaimObservation): EpochMs {
  return later(since(observation.claim, 'Launched'), launchTimeout(observation))
}

export function registrationDeadline(observation: Pick<ClaimObservation, 'claim' | 'settings'>): EpochMs {
  return later(since(observation.claim, 'Registered'), registrationTimeout(observation))
}

/** Adds what kept the claim from being launched, if its condition says so. */
function withCause({ status }: NodeClaim, message: string): string {
  const said = findCondition(status.conditions, 'Launched')
  return said === undefined || said.reason === 'AwaitingReconciliation' || said.reason === LAUNCH_TIMEOUT || said.message === ''
    ? message
    : `${message}: ${splitLink(said.message).text}`
}

function inWords(duration: DurationMs): string {
  return duration % 60_000 === 0 ? `${duration / 60_000} minutes` : `${duration / 1_000} seconds`
}

/** For how long after it accepted the request Azure may not show a machine. */
const VISIBLE_AFTER_MS = 30_000
/** The reason of a claim whose machine failed after Azure had accepted the request. */
export const FAILED_LATE = 'AsyncProvisioningError'

/** Ends a claim whose machine failed or vanished, or whose node somebody deleted. */
export function stepLoss(observation: ClaimObservation): ClaimStep | undefined {
  return nodeDeleted(observation) ?? nodeGone(observation) ?? machineFailed(observation) ?? machineGone(observation)
}

function nodeDeleted(observation: ClaimObservation): ClaimStep | undefined {
  const node = observation.nodes.find((each) => each.meta.deletedAt !== undefined && each.meta.finalizers.includes(FINALIZER))
  if (node === undefined) return undefined
  const message = `node ${node.name} is being deleted, so its claim and machine go too`
  return endClaim(observation, { code: 'CLAIM.NODE_DELETED', message, event: 'NodeDeleted' })
}

/**
 * Somebody removed the node together with its finalizer. Its kubelet does not register again, so the machine is of no use. A kubelet that starts anew
 * does: a reboot waits for it.
 */
function nodeGone(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodes, instance } = observation
  if (!isTrue(claim, 'Registered') || nodes.length > 0 || instance === undefined || isRebooting(claim)) return undefined
  const message = `the node of nodeclaim ${claim.name} is gone, so its claim and machine go too`
  return endClaim(observation, { code: 'CLAIM.NODE_DELETED', message, event: 'NodeDeleted' })
}

/** Azure accepted the request and failed later. The offerings that the failure names are blocked before the pods are planned again. */
function machineFailed(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, instance } = observation
  if (isTrue(claim, 'Registered') || typeof instance !== 'object' || instance.state.kind !== 'failed') return undefined
  const { refusal } = instance.state
  const { problem } = refusal
  const message = `machine ${instance.name} failed: ${problem.message}`
  const offerings = failedLate(refusal, { size: instance.size, message: message.slice(0, 300) }, observation)
  const blocked: readonly ClaimAction[] = offerings.length === 0 ? [] : [{ kind: 'markUnavailable', offerings }]
  const reported: readonly ClaimAction[] = isFailedBoot(refusal) ? [{ kind: 'reportSize', failure: 'notBooted' }] : []
  const first = [...blocked, ...reported, ...statusActions(observation, [staysOpen('Registered', FAILED_LATE, message.slice(0, 300))])]
  return endClaim(observation, { code: problem.code, message, event: FAILED_LATE, first })
}

function machineGone(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, instance, nodes, now } = observation
  if (instance !== undefined || !isTrue(claim, 'Launched')) return undefined
  if (now - since(claim, 'Launched') < VISIBLE_AFTER_MS || nodes.some(isReady)) return undefined
  const message = `the machine of nodeclaim ${claim.name} does not exist any more`
  return endClaim(observation, { code: 'CLAIM.INSTANCE_GONE', message, event: 'InstanceGone', first: avoidSpot(observation, message) })
}

/** A spot machine that is gone was most likely taken by Azure, and its notice was lost or came too late. */
function avoidSpot({ claim: { meta }, unavailable, now }: ClaimObservation, message: string): readonly ClaimAction[] {
  const { [LABEL.instanceType]: size, [LABEL.zone]: zone, [LABEL.capacityType]: capacityType } = meta.labels
  if (capacityType !== 'spot' || size === undefined || zone === undefined) return []
  const offerings = avoidedSpot({ size: vmSizeName(size), zone: zoneName(zone), message }, unavailable, now)
  return [
    { kind: 'markUnavailable', offerings, isOwn: true },
    { kind: 'reportSize', failure: 'evicted' },
  ]
}
