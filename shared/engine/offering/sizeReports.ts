/** What the machine of a claim says about its size, and what the other machines of its cluster prove. */
import { findCondition } from '../../model/condition.ts'
import type { ClusterId, VmSizeName } from '../../model/ids.ts'
import { vmSizeName } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { type SizeFailure, type SizeReport, unrefuted } from '../../model/sizeReport.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'

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
