import type { DurationMs, EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { FLOW_LIMITS } from './flowLimits.ts'

export type Collected = { readonly instances: number; readonly interfaces: number; readonly lostMachines: number }

/**
 * Machines and network interfaces that no claim owns go; claims whose machine is gone are stepped, so that they end. Azure
 * is listed before the claims: a machine made in between is then known by its claim.
 */
export async function collectGarbage(deps: ClusterDeps, signal: AbortSignalLike): Promise<Collected> {
  const instances = await deps.cloud.list(signal)
  const orphanInterfaces = await deps.cloud.listOrphanInterfaces(signal)
  const claims = await deps.api.listClaims(signal)
  const now = deps.clock.now()
  const { gcGrace } = deps.limits ?? FLOW_LIMITS
  const owned = new Set(claims.map((claim) => claim.name))
  const present = new Set(instances.map((instance) => instance.claim))

  const orphans = instances.filter(
    (instance) => !owned.has(instance.claim) && instance.state.kind !== 'deleting' && isOld(instance.createdAt, now, gcGrace),
  )
  for (const orphan of orphans) {
    deps.telemetry.warn(`instance ${orphan.name} has no nodeclaim and is removed`, { cluster: deps.cluster, instance: orphan.name })
    await deps.cloud.terminate(orphan.claim, signal)
  }
  const interfaces = orphanInterfaces.filter((orphan) => !owned.has(orphan.claim) && isOld(orphan.createdAt, now, gcGrace))
  for (const orphan of interfaces) await deps.cloud.deleteInterface(orphan.name, signal)

  const lost = claims.filter(
    (claim) => claim.status.providerId !== undefined && !present.has(claim.name) && now - claim.meta.createdAt > gcGrace,
  )
  for (const claim of lost) {
    await deps.queue.send({ kind: 'nodeClaim', cluster: deps.cluster, claim: claim.name, follow: true, sentAt: now, attempt: 0 }, 0, signal)
  }
  return { instances: orphans.length, interfaces: interfaces.length, lostMachines: lost.length }
}

/** What does not say when it was made is left alone. */
function isOld(createdAt: EpochMs | undefined, now: EpochMs, grace: DurationMs): boolean {
  return createdAt !== undefined && now - createdAt > grace
}
