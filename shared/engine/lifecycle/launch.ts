import { stableHash } from '../../base/stableHash.ts'
import { defined } from '../../base/values.ts'
import type { ClaimAction, ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { hashesAnnotation } from '../../model/clusterFacts.ts'
import { findCondition, ROOT_CONDITION } from '../../model/condition.ts'
import { launchReasonOf, reasonOfCode, splitLink } from '../../model/conditionLinks.ts'
import { NODE_CLASS_HASH_VERSION, nodeClassHash } from '../../model/driftHash.ts'
import { type Instance, type LaunchCandidate, type LaunchRefusal, printTags } from '../../model/instance.ts'
import { allocatableOfType } from '../../model/instanceType.ts'
import { priceText, zoneText } from '../../model/inWords.ts'
import { ANNOTATION, FINALIZER, LABEL, type Labels } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { Problem } from '../../model/problem.ts'
import { requirementsFrom } from '../../model/requirements.ts'
import { durationMs, type EpochMs, later, priceToLabel } from '../../model/units.ts'
import { candidateOf, planLaunch, refusalsFor } from '../launch/planLaunch.ts'
import { askedAgain, askedAgainText } from '../offering/shortSizes.ts'
import { blocksOf } from '../offering/sizeReports.ts'
import { typeNamed } from '../offering/usableOfferings.ts'
import {
  becomes,
  CLAIM_STAGES,
  type ClaimConditionType,
  conditionOf,
  earlier,
  endClaim,
  isOpen,
  nextRequeue,
  reached,
  statusActions,
  staysOpen,
  subjectOf,
  warning,
} from './claimStatus.ts'
import { launchDeadline } from './liveness.ts'

const RETRY_AFTER_MS = 1_000
const STOPPED_RETRY_AFTER_MS = 60_000
const READINESS_UNKNOWN = 'NodeClassReadinessUnknown'
const VERSION_CONDITION = 'KubernetesVersionReady'

/** Chooses the machine of a claim that has none. A machine that is there already is taken over. */
export function stepLaunch(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodeClass, instance, instanceTypes, unavailable, demoted, now } = observation
  if (!isOpen(claim, 'Launched')) return undefined
  if (typeof instance === 'object') return adopt(observation, instance)
  if (claim.unknownValues !== undefined) return waitFor(observation, 'UnknownValue', claim.unknownValues.join('; '))
  if (nodeClass === undefined || nodeClass.meta.deletedAt !== undefined) {
    const message = `aksnodeclass ${claim.spec.nodeClassRef.name} ${nodeClass === undefined ? 'does not exist' : 'is being deleted'}`
    return endClaim(observation, { code: 'NODECLASS.NOT_FOUND', message, event: 'NodeClassResolutionError' })
  }
  const waiting = waitForNodeClass(observation, nodeClass)
  if (waiting !== undefined) return waiting
  if (instanceTypes.length === 0)
    return waitFor(observation, 'InstanceTypeResolutionFailed', 'the instance types of the region are not known yet')
  const plan = planLaunch(claim, instanceTypes, unavailable, now, demoted)
  if (plan.candidates.length > 0) return { actions: [{ kind: 'launch', plan }], reasons: [], wakeAt: now }
  const asked = askedAgain(refusalsFor(claim, instanceTypes, unavailable, now) ?? [])
  const message = `no offering that nodeclaim ${claim.name} allows is available now${askedAgainText(asked)}`
  return endClaim(observation, { code: 'CLAIM.INSUFFICIENT_CAPACITY', message, event: 'InsufficientCapacityError' })
}

/** What to write once Azure has accepted the request for a machine. */
export function afterLaunch(observation: ClaimObservation, candidate: LaunchCandidate, instance: Instance): ClaimStep {
  const { claim, nodeClass, settings, now } = observation
  const { size, zone, capacityType, price } = candidate.choice
  // Labels of the claim win over labels of the provider, annotations of the provider over those of the claim. A claim made by hand may lack the
  // NodeClass label. The price is always that of the machine.
  const { [LABEL.instancePrice]: _, ...own } = claim.meta.labels
  const priced = price === undefined ? {} : { [LABEL.instancePrice]: priceToLabel(price) }
  const labels = { ...candidate.labels, [LABEL.nodeClass]: claim.spec.nodeClassRef.name, ...own, ...priced }
  const annotations = {
    ...claim.meta.annotations,
    ...(nodeClass === undefined ? {} : nodeClassAnnotations(nodeClass)),
    ...hashesAnnotation(settings.clusterFacts),
    ...(instance.kubernetesVersion === undefined ? {} : { [ANNOTATION.kubernetesVersion]: instance.kubernetesVersion }),
    ...(instance.tags === undefined ? {} : { [ANNOTATION.tags]: printTags(instance.tags) }),
  }
  const patch: readonly ClaimAction[] =
    stableHash([labels, annotations]) === stableHash([claim.meta.labels, claim.meta.annotations])
      ? []
      : [{ kind: 'patchClaim', labels, annotations }]
  const { capacity } = candidate.instanceType
  const members = {
    providerId: instance.providerId,
    imageId: instance.imageId,
    capacity,
    allocatable: allocatableOfType(candidate.instanceType),
  }
  const status = statusActions(
    observation,
    [
      becomes('Launched'),
      staysOpen('Registered', 'NodeNotFound', 'no node has joined yet'),
      staysOpen('Initialized', 'NodeNotFound', 'no node has joined yet'),
    ],
    defined(members),
  )
  const said = reached(
    claim,
    'Launched',
    `machine ${instance.name}: ${size}, ${capacityType}, ${zoneText(zone)}, ${priceText(candidate.choice)}`,
  )
  return { actions: [...patch, ...status, ...(status.length === 0 ? [] : [said])], reasons: [], wakeAt: nextRequeue(now, now) }
}

/**
 * What to write once Azure has refused the request, and when to try again. A claim whose machine Azure takes no further request for ends, if its pods
 * are planned again: the next claim has a machine of another name, and knows what was refused. Nothing would replace a claim of no NodePool.
 */
export function afterRefusal(observation: ClaimObservation, refusal: LaunchRefusal): ClaimStep {
  const { claim, nodeClass } = observation
  const { problem } = refusal
  if (refusal.then === 'end' && claim.meta.labels[LABEL.nodePool] !== undefined) {
    const message = `azure refused as many offerings as it takes requests for the machine of nodeclaim ${claim.name}; its pods are planned again`
    return endClaim(observation, { code: 'CLAIM.INSUFFICIENT_CAPACITY', message, event: 'InsufficientCapacityError' })
  }
  const blocked = blocksOf(refusal, nodeClass)
  const mark: readonly ClaimAction[] = blocked.length === 0 ? [] : [{ kind: 'markUnavailable', offerings: blocked }]
  const status = statusActions(observation, [staysOpen('Launched', launchReasonOf(problem.code), problem.message.slice(0, 300))])
  const event: readonly ClaimAction[] =
    status.length === 0 ? [] : [{ kind: 'publish', event: warning(claim, 'LaunchFailed', problem.message.slice(0, 500)) }]
  return {
    actions: [...mark, ...status, ...event],
    reasons: [{ code: problem.code, subject: subjectOf(claim), message: problem.message }],
    wakeAt: retryAt(observation, refusal),
  }
}

function retryAt(observation: ClaimObservation, { problem, then }: LaunchRefusal): EpochMs {
  const wait = problem.retryAfterMs ?? (then === 'stop' ? STOPPED_RETRY_AFTER_MS : RETRY_AFTER_MS)
  return earlier(later(observation.now, durationMs(wait)), launchDeadline(observation))
}

/** Takes over a machine that the claim does not name: the write after its launch was lost. */
function adopt(observation: ClaimObservation, instance: Instance): ClaimStep {
  const { claim, instanceTypes } = observation
  const type = typeNamed(instanceTypes, instance.size)
  const offering = type?.offerings.find((each) => each.zone === instance.zone && each.capacityType === instance.capacityType)
  if (type === undefined || offering === undefined) {
    return waitFor(
      observation,
      'InstanceTypeResolutionFailed',
      `size ${instance.size} in ${zoneText(instance.zone)} of the machine is not known yet`,
    )
  }
  return afterLaunch(observation, candidateOf(requirementsFrom(claim.spec.requirements), type, offering), instance)
}

function waitForNodeClass(observation: ClaimObservation, nodeClass: NodeClass): ClaimStep | undefined {
  const { name, meta, status } = nodeClass
  const ready = findCondition(status.conditions, ROOT_CONDITION)
  const message = `aksnodeclass ${name} is not ready${ready?.message ? `: ${ready.message}` : ''}`
  if (ready?.status === 'False') return endClaim(observation, { code: 'NODECLASS.NOT_READY', message, event: 'NodeClassNotReady' })
  if (ready?.status !== 'True') return waitFor(observation, READINESS_UNKNOWN, message)
  if (ready.observedGeneration < meta.generation)
    return waitFor(observation, READINESS_UNKNOWN, `the latest change of aksnodeclass ${name} is not judged yet`)
  const version = findCondition(status.conditions, VERSION_CONDITION)
  return version === undefined || version.status === 'True'
    ? undefined
    : waitFor(observation, READINESS_UNKNOWN, `the Kubernetes version of aksnodeclass ${name} is not known: ${version.message}`)
}

function waitFor(observation: ClaimObservation, reason: string, message: string): ClaimStep {
  const { claim, now } = observation
  return {
    actions: statusActions(observation, [staysOpen('Launched', reason, message)]),
    reasons: [],
    wakeAt: earlier(nextRequeue(claim.meta.createdAt, now), launchDeadline(observation)),
  }
}

function nodeClassAnnotations(nodeClass: NodeClass): Labels {
  return { [ANNOTATION.nodeClassHash]: nodeClassHash(nodeClass), [ANNOTATION.nodeClassHashVersion]: NODE_CLASS_HASH_VERSION }
}

const LONGEST_MESSAGE = 300

type ReportAction = Extract<ClaimAction, { readonly kind: 'patchStatus' | 'publish' }>

/**
 * What a claim reports about a step that failed as a whole: the open stage names the problem until a later step succeeds. Empty if the claim
 * reports it already, or if no stage is open.
 */
export function reportFailedStep(
  about: Pick<ClaimObservation, 'claim' | 'now' | 'settings'>,
  { code, message }: Problem,
): readonly ReportAction[] {
  const stage = openStage(about.claim)
  if (stage === undefined) return []
  const said = message.slice(0, LONGEST_MESSAGE)
  const seen = { ...about, instance: 'unseen', nodeClass: undefined } as const
  const status = statusActions(seen, [staysOpen(stage, stage === 'Launched' ? launchReasonOf(code) : reasonOfCode(code), said)])
  if (status.length === 0) return []
  const event = warning(about.claim, stage === 'Launched' ? 'LaunchFailed' : 'StepFailed', `step ${stage} failed: ${said}`)
  return [...status, { kind: 'publish', event }]
}

function openStage(claim: NodeClaim): ClaimConditionType | undefined {
  const { deletedAt, finalizers } = claim.meta
  if (deletedAt === undefined) return CLAIM_STAGES.find((stage) => isOpen(claim, stage))
  return finalizers.includes(FINALIZER) && isOpen(claim, 'InstanceTerminating') ? 'InstanceTerminating' : undefined
}

/**
 * Stamps the stages that the claim has reached with its present generation. A reached stage stays reached, because the spec of a claim cannot change.
 */
export function stepGeneration(observation: ClaimObservation): ClaimStep | undefined {
  const { claim } = observation
  if (!isOfEarlierGeneration(claim)) return undefined
  const reached = CLAIM_STAGES.flatMap((stage) => conditionOf(claim, stage) ?? []).filter(({ status }) => status === 'True')
  const changes = reached.map((condition) => ({ ...condition, message: splitLink(condition.message).text }))
  return { actions: statusActions(observation, changes), reasons: [] }
}

/** Reports whether a stage was reached in an earlier generation of the claim. The next change of a condition would then make the claim not ready. */
export function isOfEarlierGeneration(claim: NodeClaim): boolean {
  const { generation } = claim.meta
  return CLAIM_STAGES.some((stage) => {
    const said = conditionOf(claim, stage)
    return said?.status === 'True' && said.observedGeneration < generation
  })
}
