import type { ClaimAction, ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { vmSizeName, zoneName } from '../../model/ids.ts'
import { FINALIZER, LABEL } from '../../model/labels.ts'
import { avoidedSpot } from '../offering/avoidedSpot.ts'
import { failedLate, isFailedBoot } from '../offering/failedMachine.ts'
import { isTrue, since, statusActions, staysOpen } from './claimStatus.ts'
import { endClaim } from './ending.ts'
import { isReady } from './nodeState.ts'

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

/** Somebody removed the node together with its finalizer. Its kubelet does not register again, so the machine is of no use. */
function nodeGone(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodes, instance } = observation
  if (!isTrue(claim, 'Registered') || nodes.length > 0 || instance === undefined) return undefined
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
