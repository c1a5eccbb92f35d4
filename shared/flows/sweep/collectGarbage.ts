import { settleBounded } from '../../base/bounded.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { Fault } from '../../model/problem.ts'
import type { DurationMs, EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { FLOW_LIMITS } from '../deps/flowLimits.ts'
import { claimMessage } from '../messages/claimMessage.ts'
import { endOrphan, type OrphanEnd } from './endOrphan.ts'

/** `failed`: things that could be neither ended nor looked at now; the next sweep finds them again, and machines that are `draining`. */
export type Collected = {
  readonly instances: number
  readonly draining: number
  readonly interfaces: number
  readonly lostMachines: number
  readonly failed: number
}

/** Things ended beside each other. */
const AT_ONCE = 8

/** What a sweep would end, and what it says about it. */
type Orphan = {
  readonly what: string
  readonly claim: NodeClaimName
  readonly end: () => Promise<OrphanEnd>
}

/**
 * Machines and network interfaces that no claim owns go; claims whose machine is gone are stepped, so that they end. Azure
 * is listed before the claims: a machine made in between is then known by its claim. A list says too little to end anything by: it may
 * be cut short, and it leaves out claims that cannot be understood. So each orphan's claim is asked for by its name, and only "there is
 * no such claim" ends the orphan. One that cannot be looked at or ended does not stop the others. A machine whose node runs pods is drained first, a
 * step in each sweep and for a bounded time.
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
  // A hint: the look that ends the claim follows it, and one more chain at each sweep would be one too many.
  for (const claim of lost) {
    await deps.queue.send(claimMessage(deps, claim, { follow: false }), 0, signal)
  }
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
    else await tellDrain(deps, what, claim, outcome, signal)
    return outcome.kind
  } catch (cause) {
    if (cause instanceof Fault) {
      const { code, message } = cause.problem
      telemetry.warn(`${what} seems to have no nodeclaim and stays for now: ${message}`, { cluster, claim, code })
    }
    throw cause
  }
}

/** What holds the pods is said on the node: there is no claim to say it on. */
async function tellDrain(
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

/** What does not say when it was made is left alone. */
function isOld(createdAt: EpochMs | undefined, now: EpochMs, grace: DurationMs): boolean {
  return createdAt !== undefined && now - createdAt > grace
}
