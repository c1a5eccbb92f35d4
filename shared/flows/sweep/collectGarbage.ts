import { settleBounded } from '../../base/concurrency.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { Fault } from '../../model/problem.ts'
import type { DurationMs, EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, FLOW_LIMITS } from '../deps/clusterDeps.ts'
import { claimRequest } from '../queue/claimRequests.ts'
import { endOrphan, type OrphanEnd } from './endOrphan.ts'

/**
 * The counts of a sweep. `failed`: things that could not be read or deleted now. The next sweep finds them again, and machines that are `draining`.
 */
export type Collected = {
  readonly instances: number
  readonly draining: number
  readonly interfaces: number
  readonly lostMachines: number
  readonly failed: number
}

/** The most things deleted at a time. */
const AT_ONCE = 8

/** A machine or network interface without a claim, and how to delete it. */
type Orphan = {
  readonly what: string
  readonly claim: NodeClaimName
  readonly end: () => Promise<OrphanEnd>
}

/**
 * Deletes machines and network interfaces without a claim, and asks for a step of claims whose machine is gone, so that they end. Azure is listed
 * before the claims, so that a machine made in between is found with its claim. A list is not enough to delete anything: it may be incomplete, and it
 * leaves out claims that cannot be parsed. So the claim of each orphan is read by its name, and the orphan is deleted only if there is no such claim.
 * An orphan that cannot be read or deleted does not stop the others. A machine whose node runs pods is drained first, one step in each sweep, for a
 * limited time.
 */
export async function collectGarbage(deps: ClusterDeps, signal: AbortSignalLike): Promise<Collected> {
  const instances = await deps.cloud.list(signal)
  const orphanInterfaces = await deps.cloud.listOrphanInterfaces(signal)
  const claims = await deps.api.listClaims(signal)
  const now = deps.clock.now()
  const { gcGrace, gcDrain: drainFor } = deps.limits ?? FLOW_LIMITS
  const owned = new Set(claims.map((claim) => claim.name))
  const present = new Set(instances.map((instance) => instance.claim))

  const orphans = instances.filter(
    (instance) => !owned.has(instance.claim) && instance.state.kind !== 'deleting' && isOld(instance.createdAt, now, gcGrace),
  )
  const endedInstances = await endAll(
    deps,
    orphans.map((instance) => ({
      what: `instance ${instance.name}`,
      claim: instance.claim,
      end: () => endOrphan(deps, instance, { now: deps.clock.now(), drainFor }, signal),
    })),
    signal,
  )
  const interfaces = orphanInterfaces.filter((orphan) => !owned.has(orphan.claim) && isOld(orphan.createdAt, now, gcGrace))
  const endedInterfaces = await endAll(
    deps,
    interfaces.map(({ name, claim }) => ({
      what: `network interface ${name}`,
      claim,
      end: async () => {
        await deps.cloud.deleteInterface(name, signal)
        return { kind: 'ended' }
      },
    })),
    signal,
  )

  const lost = claims.filter(
    (claim) => claim.status.providerId !== undefined && !present.has(claim.name) && now - claim.meta.createdAt > gcGrace,
  )
  for (const claim of lost) deps.queue.reconcile(claimRequest(claim, { isFollowed: false }))
  return {
    instances: endedInstances.ended,
    draining: endedInstances.draining,
    interfaces: endedInterfaces.ended,
    lostMachines: lost.length,
    failed: endedInstances.failed + endedInterfaces.failed,
  }
}

type Ended = { readonly ended: number; readonly draining: number; readonly failed: number }

async function endAll(deps: ClusterDeps, orphans: readonly Orphan[], signal: AbortSignalLike): Promise<Ended> {
  const outcomes = await settleBounded(orphans, AT_ONCE, (orphan) => endOne(deps, orphan, signal))
  let [ended, draining, failed] = [0, 0, 0]
  for (const outcome of outcomes) {
    if (!outcome.ok && !(outcome.error instanceof Fault)) throw outcome.error
    if (!outcome.ok) failed++
    else if (outcome.value === 'ended') ended++
    else if (outcome.value === 'drains') draining++
  }
  return { ended, draining, failed }
}

async function endOne(deps: ClusterDeps, { what, claim, end }: Orphan, signal: AbortSignalLike): Promise<OrphanEnd['kind'] | 'owned'> {
  const { cluster, telemetry } = deps
  try {
    if ((await deps.api.getClaim(claim, signal)) !== undefined) return 'owned'
    const outcome = await end()
    if (outcome.kind === 'ended') telemetry.warn(`${what} has no nodeclaim and is removed`, { cluster, claim })
    else await reportDrain(deps, what, claim, outcome, signal)
    return outcome.kind
  } catch (cause) {
    if (cause instanceof Fault) {
      const { code, message } = cause.problem
      telemetry.warn(`${what} seems to have no nodeclaim and stays for now: ${message}`, { cluster, claim, code })
    }
    throw cause
  }
}

/** Reports what holds the pods as an Event on the node, because there is no claim. */
async function reportDrain(
  { cluster, telemetry, api }: ClusterDeps,
  what: string,
  claim: NodeClaimName,
  { node, message, held }: Extract<OrphanEnd, { readonly kind: 'drains' }>,
  signal: AbortSignalLike,
): Promise<void> {
  const code = held.length > 0 ? ({ code: 'DISRUPTION.PDB' } as const) : {}
  telemetry.warn(`${what} has no nodeclaim and is drained before it is removed: ${message}`, { cluster, claim, ...code })
  if (held.length === 0) return
  const { name, meta } = node
  await api.publish({ subject: { kind: 'node', name }, uid: meta.uid, type: 'Warning', reason: 'FailedDraining', message }, signal)
}

/** Reports whether a thing is older than the grace period. A thing without a creation time is left alone. */
function isOld(createdAt: EpochMs | undefined, now: EpochMs, grace: DurationMs): boolean {
  return createdAt !== undefined && now - createdAt > grace
}
