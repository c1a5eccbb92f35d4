/** What machines prove about their sizes, and what is avoided after a failure or an eviction. */
import { largestOf, leastOf } from '../../base/lists.ts'
import { isSame } from '../../base/values.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { findCondition, isTrue } from '../../model/condition.ts'
import { type ClusterId, type NodeClassName, type VmSizeName, vmSizeName, type ZoneName } from '../../model/ids.ts'
import type { LaunchRefusal } from '../../model/instance.ts'
import type { InstanceType, Offering } from '../../model/instanceType.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { endsRowFrom, type MadeOffering } from '../../model/refusalGrowth.ts'
import { type SizeFailure, type SizeReport, unrefuted } from '../../model/sizeReport.ts'
import type { RefusedClass, UnavailableOffering } from '../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import { contains, typeNamed } from './usableOfferings.ts'

/** A spot machine that lived no longer was hardly of use: it took minutes to start. */
const EARLY = durationMs(15 * 60_000)
/** For how long after the failure of one size a machine of another size proves that the cause is the size. The next machine takes minutes to boot. */
const PROVES_FOR = durationMs(10 * 60_000)

/** What the claim's machine says by its failure. Undefined if its size or its launch is not known. */
export function failureReport(
  { name, meta, spec, status }: NodeClaim,
  {
    kind,
    cluster,
    at,
    isProven = false,
  }: { readonly kind: SizeFailure; readonly cluster: ClusterId; readonly at: EpochMs; readonly isProven?: boolean },
): SizeReport | undefined {
  const size = sizeOf(meta)
  const launched = findCondition(status.conditions, 'Launched')
  if (size === undefined || launched?.status !== 'True') return undefined
  const launchedAt = launched.lastTransitionAt
  if (kind === 'evicted' && at >= later(launchedAt, EARLY)) return undefined
  const report = { kind, cluster, claim: name, nodeClass: spec.nodeClassRef.name, size, launchedAt, at }
  return isProven ? { ...report, isProven } : report
}

/**
 * What the claims of the cluster add to the reports of the region: a machine of another size that became ready at the time of a failure proves that
 * network, image and settings of its NodeClass are fine. A machine of the same size that became ready since refutes the failure, whichever cluster had it.
 */
export function furtherReports(reports: readonly SizeReport[], claims: readonly NodeClaim[], cluster: ClusterId): readonly SizeReport[] {
  const failures = unrefuted(reports)
  if (failures.length === 0) return []
  const ready = claims.flatMap((claim) => readyReport(claim, cluster) ?? [])
  const proven = failures
    .filter((each) => each.cluster === cluster && each.isProven === undefined && ready.some((machine) => proves(machine, each)))
    .map((each) => ({ ...each, isProven: true as const }))
  const booted = ready.filter((machine) => failures.some(({ size, launchedAt }) => size === machine.size && launchedAt < machine.at))
  return [...proven, ...booted]
}

function proves(machine: SizeReport, { nodeClass, size, launchedAt, at }: SizeReport): boolean {
  return machine.nodeClass === nodeClass && machine.size !== size && machine.at >= launchedAt && machine.at < later(at, PROVES_FOR)
}

function readyReport({ name, meta, spec, status }: NodeClaim, cluster: ClusterId): SizeReport | undefined {
  const size = sizeOf(meta)
  const [launched, ready] = ['Launched', 'Initialized'].map((type) => findCondition(status.conditions, type))
  if (size === undefined || launched?.status !== 'True' || ready?.status !== 'True') return undefined
  return {
    kind: 'booted',
    cluster,
    claim: name,
    nodeClass: spec.nodeClassRef.name,
    size,
    launchedAt: launched.lastTransitionAt,
    at: ready.lastTransitionAt,
  }
}

function sizeOf({ labels }: NodeClaim['meta']): VmSizeName | undefined {
  const { [LABEL.instanceType]: size } = labels
  return size === undefined ? undefined : vmSizeName(size)
}

/** How long an offering is avoided after Azure took a machine of it. It is likely to lose the next spot machine, too. */
const AVOIDED_FOR = durationMs(10 * 60_000)

export type TakenSpot = { readonly size: VmSizeName; readonly zone: ZoneName; readonly message: string }

/**
 * What to avoid after Azure took a spot machine: its size in its zone. The size is avoided in all zones if its spot machines are avoided in another
 * zone already, since a size may have many zones, and pods would be moved once for each of them. The same holds if a machine was bought in this zone
 * after the last one was taken, and was taken, too. Machines of the zone that Azure takes together count once.
 */
export function avoidedSpot(
  { size, zone, message }: TakenSpot,
  unavailable: readonly UnavailableOffering[],
  now: EpochMs,
): readonly UnavailableOffering[] {
  const until = later(now, AVOIDED_FOR)
  const isSecond = unavailable.some(({ scope, until: end }) => {
    if (scope.kind !== 'offering' || scope.size !== size || scope.capacityType !== 'spot') return false
    const isAvoided = end > now
    return scope.zone === zone ? !isAvoided : isAvoided
  })
  const inZone = { scope: { kind: 'offering', size, zone, capacityType: 'spot' }, until, code: 'AZURE.ALLOCATION.ZONE', message } as const
  const inAll = { scope: { kind: 'offering', size, capacityType: 'spot' }, until, code: 'AZURE.ALLOCATION.REGION', message } as const
  return isSecond ? [inZone, inAll] : [inZone]
}

/** One machine may fail by chance. The next machine is of another size, if there is one. */
const AVOIDED_AFTER_ONE = durationMs(2 * 60_000)
/** A size of which two machines failed is left out. A third machine would be paid for until it fails, too. */
const AVOIDED_AFTER_TWO = durationMs(60 * 60_000)
/** How long a NodeClass makes no machine after a failure that no other size can avoid. */
const CLASS_PAUSE = durationMs(60_000)

type Failed = { readonly size: VmSizeName; readonly code: ProblemCode; readonly message: string }
type Known = { readonly nodeClass: NodeClass | undefined; readonly unavailable: readonly UnavailableOffering[]; readonly now: EpochMs }

/**
 * What is avoided after a machine that Azure took and that never became a node: its size, in all zones, for its NodeClass. The image or the settings
 * of the NodeClass may be the cause. `message` names the machine, so that one failure that is looked at twice is not a second one.
 */
export function failedBoot({ size, code, message }: Failed, { nodeClass, unavailable, now }: Known): readonly UnavailableOffering[] {
  if (nodeClass === undefined) return []
  const first = forClass({ scope: { kind: 'offering', size }, until: later(now, AVOIDED_AFTER_ONE), code, message }, nodeClass)
  const isSecond = unavailable.some((each) => isSame(each.scope, first.scope) && each.message !== message)
  return [isSecond ? { ...first, until: later(now, AVOIDED_AFTER_TWO) } : first]
}

/** Reports whether a failure after the acceptance says that the size does not boot, and not that Azure lacks something. */
export function isFailedBoot({ unavailable, then }: LaunchRefusal): boolean {
  return unavailable.length === 0 && then !== 'stop'
}

/** What a failure after the acceptance blocks. A failure that says nothing about capacity is a failed boot of the size, or concerns all sizes. */
export function failedLate(refusal: LaunchRefusal, { size, message }: Omit<Failed, 'code'>, known: Known): readonly UnavailableOffering[] {
  const { unavailable, problem } = refusal
  if (unavailable.length > 0) return unavailable
  if (isFailedBoot(refusal)) return failedBoot({ size, code: problem.code, message }, known)
  const { nodeClass, now } = known
  if (nodeClass === undefined) return []
  const until = later(now, durationMs(problem.retryAfterMs ?? CLASS_PAUSE))
  return (['spot', 'on-demand'] as const).map((capacityType) =>
    forClass({ scope: { kind: 'capacityType', capacityType }, until, code: problem.code, message }, nodeClass),
  )
}

/** The API server stores whole seconds: what it says happened up to this time before the end of the second. */
const WITHIN_SECOND = durationMs(999)

type Made = {
  readonly nodeClass: NodeClassName
  readonly type: InstanceType
  readonly offering: Pick<Offering, 'zone' | 'capacityType'>
  readonly launchedAt: EpochMs
}

/**
 * The refused scopes of which Azure has made machines since, with the launch of the last one. Only machines that have joined count: Azure takes
 * requests that it cannot fulfil, and says so minutes later.
 */
export function madeOfferings(
  unavailable: readonly UnavailableOffering[],
  claims: readonly NodeClaim[],
  instanceTypes: ClusterSnapshot['instanceTypes'],
): readonly MadeOffering[] {
  if (unavailable.length === 0) return []
  const earliest = leastOf(unavailable.map(endsRowFrom))
  const made = claims.flatMap((claim) => madeSince(claim, earliest, instanceTypes) ?? [])
  return unavailable.flatMap((each) => {
    const launches = made
      .filter(({ nodeClass, type, offering }) => concernsClass(each, nodeClass) && contains(each, type, offering))
      .map(({ launchedAt }) => launchedAt)
    const last = largestOf(launches, 0)
    return last >= endsRowFrom(each) ? [{ scope: each.scope, launchedAt: epochMs(last) }] : []
  })
}

/** The offering of the claim's machine. Undefined if it was launched earlier, or has not joined. */
function madeSince({ spec, meta, status }: NodeClaim, earliest: number, instanceTypes: ClusterSnapshot['instanceTypes']): Made | undefined {
  const launched = findCondition(status.conditions, 'Launched')
  if (launched?.status !== 'True' || !isTrue(status.conditions, 'Registered')) return undefined
  const launchedAt = later(launched.lastTransitionAt, WITHIN_SECOND)
  if (launchedAt < earliest) return undefined
  const { [LABEL.instanceType]: size, [LABEL.zone]: zone, [LABEL.capacityType]: capacityType } = meta.labels
  const nodeClass = spec.nodeClassRef.name
  const type = typeNamed(instanceTypes.get(nodeClass), size)
  const offering = type?.offerings.find((each) => each.zone === zone && each.capacityType === capacityType)
  return type === undefined || offering === undefined ? undefined : { nodeClass, type, offering, launchedAt }
}

type ClassNow = Pick<NodeClass, 'name' | 'meta'>

/** All that a refusal blocks. A refusal that may be about the NodeClass blocks its offerings for this generation of the NodeClass. */
export function blocksOf({ unavailable, own = [] }: LaunchRefusal, nodeClass: ClassNow | undefined): readonly UnavailableOffering[] {
  return nodeClass === undefined ? unavailable : [...unavailable, ...own.map((each) => forClass(each, nodeClass))]
}

/** The block, for the machines of this generation of the NodeClass only: the refusal may be about its tags, its image or its disks. */
function forClass(block: UnavailableOffering, { name, meta: { uid, generation } }: ClassNow): UnavailableOffering {
  return { ...block, scope: { ...block.scope, nodeClass: { name, uid, generation } } }
}

/** The refusals without those of other NodeClasses, and of earlier generations of these. */
export function refusalsNow(unavailable: readonly UnavailableOffering[], classes: readonly ClassNow[]): readonly UnavailableOffering[] {
  return unavailable.filter(({ scope: { nodeClass } }) => nodeClass === undefined || classes.some((each) => isOfNow(nodeClass, each)))
}

/** The refusals that concern machines of the NodeClass. */
export function refusalsForClass(unavailable: readonly UnavailableOffering[], name: NodeClassName): readonly UnavailableOffering[] {
  return unavailable.filter((each) => concernsClass(each, name))
}

export function concernsClass({ scope: { nodeClass } }: UnavailableOffering, name: NodeClassName): boolean {
  return nodeClass === undefined || nodeClass.name === name
}

function isOfNow({ name, uid, generation }: RefusedClass, { name: named, meta }: ClassNow): boolean {
  return name === named && uid === meta.uid && generation === meta.generation
}
