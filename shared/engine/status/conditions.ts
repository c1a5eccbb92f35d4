import { type Condition, type ConditionUpdate, findCondition, ROOT_CONDITION } from '../../model/condition.ts'
import { linkOfReason, withLink } from '../../model/conditionLinks.ts'
import type { InstanceType, LeftOutSizes } from '../../model/instanceType.ts'
import { isLabelValue, isQualifiedName, isRestricted, LABEL } from '../../model/labels.ts'
import { isLocalDnsLeftOff, type NodeClass } from '../../model/nodeClass.ts'
import { DISRUPTION_RULES_INVALID, DRIFT_PAUSED, type NodePool, type RegistrationOutcome } from '../../model/nodePool.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { restrictedText } from '../../model/requirementConflict.ts'
import { validateRequirement } from '../../model/requirementSpecs.ts'
import { normaliseKey } from '../../model/requirements.ts'
import { negativeAmounts } from '../../model/resources.ts'
import { formatTaint, isSameTaint, type Taint } from '../../model/taint.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import { brokenRules } from '../disruption/decideDisruption.ts'
import { driftBrake } from '../disruption/moves/move.ts'
import { impossibleRequirements, leftOutText } from '../offering/possibleSizes.ts'
import {
  type CreationPause,
  creationPause,
  failedInARow,
  isOfNow,
  REGISTRATION_HEALTH,
  registrationHealth,
  storedPause,
} from './registrationHealth.ts'

/** The conditions of a pool that refers to our NodeClass. `creationPauseOf` and `disruptionRulesOf` may add others. */
export function poolConditions(pool: NodePool, snapshot: FleetSnapshot): readonly ConditionUpdate[] {
  const { objects, instanceTypes, settings } = snapshot
  const { name } = pool.template.nodeClassRef
  const nodeClass = objects.nodeClass.find((each) => each.name === name)
  const health = registrationHealth(pool, nodeClass, outcomesOf(pool, snapshot), settings.links)
  return [
    { type: 'ValidationSucceeded', ...validityOf(pool, instanceTypes.get(name) ?? [], snapshot.leftOutSizes) },
    { type: 'NodeClassReady', ...readinessOf(pool, nodeClass) },
    ...(health === undefined ? [] : [health]),
  ]
}

/** Whether the pool pauses, judged by the machines that it made. Undefined if there is nothing to say about it. */
export function creationPauseOf(pool: NodePool, snapshot: FleetSnapshot): CreationPause | undefined {
  const { objects, takenAt, fleet, settings } = snapshot
  const nodeClass = objects.nodeClass.find((each) => each.name === pool.template.nodeClassRef.name)
  if (nodeClass === undefined) return undefined
  const { conditions } = pool.status
  const isCurrent = (condition: Condition): boolean => isOfNow(pool, nodeClass, condition)
  const health = findCondition(conditions, REGISTRATION_HEALTH)
  const outcomes = outcomesOf(pool, snapshot)
  return creationPause({
    stored: storedPause(conditions, isCurrent),
    outcomes,
    streak: failedInARow(pool, nodeClass, outcomes),
    unhealthySince: health?.status === 'False' && isCurrent(health) ? health.lastTransitionAt : undefined,
    now: takenAt,
    forbidden: fleet.counted(pool.name).forbidden,
    links: settings.links,
  })
}

/** The outcomes of claims that were made for the pool. An older claim was made for an earlier pool of the same name. */
function outcomesOf({ name, meta }: NodePool, { registrationOutcomes }: FleetSnapshot): readonly RegistrationOutcome[] {
  return (registrationOutcomes?.get(name) ?? []).filter(({ createdAt }) => createdAt >= meta.createdAt)
}

/** A condition about disruption rules of the pool that cannot be read, if there are any. The pool makes machines all the same. */
export function disruptionRulesOf(pool: NodePool, { settings }: FleetSnapshot): readonly ConditionUpdate[] {
  const problems = brokenRules(pool, settings)
  if (problems.length === 0) return []
  const message = `nodepool ${pool.name}: ${problems.join('; ')}`
  return [{ type: DISRUPTION_RULES_INVALID, status: 'True', reason: 'DisruptionBlocked', message }]
}

/** A condition about the brake of drift, while drifted machines of the pool are not replaced. */
export function driftPauseOf(pool: NodePool, snapshot: FleetSnapshot): readonly ConditionUpdate[] {
  const message = driftBrake(pool, snapshot)
  return message === undefined ? [] : [{ type: DRIFT_PAUSED, status: 'True', reason: 'DriftedAtBirth', message }]
}

/** The conditions that follow without another question to Azure. `nodeVersions` gives version and images. */
export function classConditions(nodeClass: NodeClass, snapshot: FleetSnapshot): readonly ConditionUpdate[] {
  const problem = snapshot.sizeProblems?.get(nodeClass.name)
  const isOfImages = problem?.code === 'AZURE.IMAGE_NOT_FOUND'
  const isOfDns = problem?.path?.startsWith(LOCAL_DNS_FIELD) === true
  return [
    { type: 'KubernetesVersionReady', status: 'True' },
    { type: 'ImagesReady', ...(isOfImages ? { status: 'False', reason: 'ImagesNotFound', message: problem.message } : TRUE) },
    { type: 'SubnetsReady', ...subnetOf(nodeClass, snapshot) },
    {
      type: 'LocalDNSReady',
      ...(isOfDns ? { status: 'False', reason: 'LocalDNSNotSupported', message: problem.message } : localDnsOf(nodeClass)),
    },
    {
      type: 'ValidationSucceeded',
      ...(unknownOf(nodeClass) ?? validationOf(isOfImages || isOfDns ? TRUE : sizesOf(nodeClass, snapshot), snapshot)),
    },
  ]
}

/** No machine is made by values that this version does not know. */
function unknownOf({ name, unknownValues }: NodeClass): ConditionState | undefined {
  if (unknownValues === undefined) return undefined
  return { status: 'False', reason: 'UnknownValue', message: `aksnodeclass ${name}: ${unknownValues.join('; ')}` }
}

/** A class that only prefers local DNS is told that it has none. */
function localDnsOf(nodeClass: NodeClass): ConditionState {
  if (!isLocalDnsLeftOff(nodeClass)) return TRUE
  const message = `aksnodeclass ${nodeClass.name}: spec.localDNS.mode Preferred does not turn local DNS on; set it to Required for nodes with local DNS`
  return { status: 'True', message }
}

/** The path of problems with local DNS begins so. */
const LOCAL_DNS_FIELD = 'spec.localDNS'

/** Whether some size serves. This is unknown until the sizes of the region are known. */
function sizesOf({ name }: NodeClass, { instanceTypes, sizeProblems }: FleetSnapshot): ConditionState {
  const problem = sizeProblems?.get(name)
  if (problem !== undefined)
    return { status: 'False', reason: SIZE_REASONS[problem.code] ?? 'NoCompatibleInstanceTypes', message: problem.message }
  if ((instanceTypes.get(name) ?? []).length > 0) return TRUE
  return { status: 'Unknown', reason: 'InstanceTypesUnknown', message: 'the instance types of the region are not known yet' }
}

/** A machine has a disk, so a class that some size serves is valid only if disks can be encrypted. */
function validationOf(sizes: ConditionState, { encryptionProblem: problem }: FleetSnapshot): ConditionState {
  if (problem === undefined || sizes.status === 'False') return sizes
  return { status: 'False', reason: ENCRYPTION_REASONS[problem.code] ?? 'DiskEncryptionSetUnknown', message: problem.message }
}

/** The first is the reason of Karpenter's provider for Azure. */
const ENCRYPTION_REASONS: { readonly [Code in ProblemCode]?: string } = {
  'AZURE.FORBIDDEN': 'DiskEncryptionSetRBACMissing',
  'AZURE.NOT_FOUND': 'DiskEncryptionSetNotFound',
}

const SIZE_REASONS: { readonly [Code in ProblemCode]?: string } = { 'CLUSTER.UNSUPPORTED': 'ClusterNotSupported' }

const TRUE: ConditionState = { status: 'True' }

type ConditionState = Omit<ConditionUpdate, 'type'>

function validityOf(pool: NodePool, types: readonly InstanceType[], leftOut: LeftOutSizes | undefined): ConditionState {
  const problems = validateNodePool(pool)
  if (problems.length > 0) return { status: 'False', reason: 'NodePoolValidationFailed', message: problems.join('; ') }
  const impossible = impossibleRequirements(pool, types)
  if (impossible === undefined) return { status: 'True' }
  const message = `${impossible}${leftOutText(pool.template.requirements, leftOut)}; to do: change spec.template.spec.requirements of the nodepool`
  return { status: 'False', reason: 'NoCompatibleInstanceTypes', message }
}

function subnetOf({ name, spec }: NodeClass, { subnetProblems, settings }: FleetSnapshot): ConditionState {
  const subnetId = spec.vnetSubnetId
  if (subnetId !== undefined && !SUBNET_ID.test(subnetId)) {
    const message = `spec.vnetSubnetID ${subnetId} is not the id of a subnet; write /subscriptions/.../virtualNetworks/.../subnets/...`
    return { status: 'False', reason: SUBNET_INVALID, message }
  }
  const found = subnetProblems?.get(name)
  if (found === undefined) return { status: 'True' }
  const reason = SUBNET_REASONS[found.code] ?? SUBNET_INVALID
  return { status: 'False', reason, message: withLink(found.message, linkOfReason(settings.links, reason, { subnetId })) }
}

const SUBNET_INVALID = 'SubnetIDInvalid'
const SUBNET_REASONS: { readonly [Code in ProblemCode]?: string } = {
  'AZURE.NOT_FOUND': 'SubnetNotFound',
  'AZURE.FORBIDDEN': 'SubnetForbidden',
  'AZURE.SUBNET_FULL': 'AzureSubnetFull',
}

const SUBNET_ID = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Network\/virtualNetworks\/[^/]+\/subnets\/[^/]+$/i

function readinessOf(pool: NodePool, nodeClass: NodeClass | undefined): ConditionState {
  const { name } = pool.template.nodeClassRef
  if (nodeClass === undefined) {
    const message = `aksnodeclass ${name} does not exist; create it, or correct spec.template.spec.nodeClassRef.name`
    return { status: 'False', reason: 'NodeClassNotFound', message }
  }
  if (nodeClass.meta.deletedAt !== undefined) {
    return { status: 'False', reason: 'NodeClassTerminating', message: `aksnodeclass ${name} is being deleted; refer to another one` }
  }
  const ready = findCondition(nodeClass.status.conditions, ROOT_CONDITION)
  if (ready === undefined || ready.status === 'Unknown') {
    return { status: 'False', reason: 'NodeClassReadinessUnknown', message: `the condition Ready of aksnodeclass ${name} is not set yet` }
  }
  if (ready.status === 'True') return { status: 'True' }
  return { status: 'False', reason: ready.reason, message: `aksnodeclass ${name} is not ready: ${ready.message}` }
}

/** The rules that the pool's template breaks, in words. It finds what the validation of the API server cannot. */
function validateNodePool({ template, limits, unreadableLimits = [], unknownValues = [] }: NodePool): readonly string[] {
  return [
    ...unknownValues,
    ...unreadableLimits.map((each) => `${each}; write a quantity such as 100, 500m or 10Gi`),
    ...negativeAmounts(limits, 'spec.limits'),
    ...Object.entries(template.labels).flatMap(([key, value]) => labelProblems(key, value)),
    ...taintProblems([...template.taints, ...template.startupTaints]),
    ...template.requirements.flatMap((each) => validateRequirement(each).map(({ message }) => message)),
    ...template.requirements
      .filter((each) => normaliseKey(each.key) === LABEL.nodePool)
      .map((each) => `requirement on ${each.key}: the label is set by its nodepool; remove the requirement`),
  ]
}

function labelProblems(key: string, value: string): readonly string[] {
  const says = (rule: string): string => `label ${JSON.stringify(key)}: ${rule}`
  return [
    ...(key === LABEL.nodePool ? [says('it is set by the nodepool; remove it')] : []),
    ...(isQualifiedName(key) ? [] : [says('the key is not a qualified name; write name or domain/name')]),
    ...(isLabelValue(value) ? [] : [says(`value ${JSON.stringify(value)} is not a label value`)]),
    ...(isRestricted(key) ? [says(restrictedText(key))] : []),
  ]
}

function taintProblems(taints: readonly Taint[]): readonly string[] {
  return taints.flatMap((taint, index) => {
    const says = (rule: string): string => `taint ${formatTaint(taint)}: ${rule}`
    const isRepeated = taints.slice(0, index).some((earlier) => isSameTaint(earlier, taint))
    return [
      ...(isQualifiedName(taint.key) ? [] : [says('the key is not a qualified name; write name or domain/name')]),
      ...(isLabelValue(taint.value ?? '') ? [] : [says('the value is not a label value')]),
      ...(isRepeated ? [says('key and effect are there twice in taints and startupTaints; keep one')] : []),
    ]
  })
}
