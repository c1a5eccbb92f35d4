import { err, ok, type Result } from '../shared/base/result.ts'
import { defined } from '../shared/base/values.ts'
import type { Interruption } from '../shared/flows/lifecycle/interruptionEvents.ts'
import { claimOfInstanceName } from '../shared/model/ids.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import type { AbortSignalLike } from '../shared/ports/clock.ts'
import type { InterruptionEvent } from '../shared/wire/eventGrid.ts'
import type { AppDeps, ClusterRuntime } from './appDeps.ts'
import { findCluster } from './clusterGate.ts'

export type InterruptionTarget = { readonly runtime: ClusterRuntime; readonly interruption: Interruption }
type Said<Kind extends InterruptionEvent['kind']> = Extract<InterruptionEvent, { readonly kind: Kind }>

/** Annotations that say that the machine is gone or will be, whatever the cause. */
const MACHINE_ENDED: ReadonlySet<string> = new Set(['VirtualMachinePreempted', 'VirtualMachineDeallocationInitiated'])

/**
 * Returns the machine of Joiner that an event ends or pauses. Undefined if it is about none. The content of an event is trusted only if the topic, which Event Grid
 * writes, proves the publisher. Otherwise returns INPUT.FORBIDDEN.
 */
export async function interruptionTarget(
  deps: AppDeps,
  event: InterruptionEvent,
  signal: AbortSignalLike,
): Promise<Result<InterruptionTarget | undefined, Problem>> {
  switch (event.kind) {
    case 'scheduled':
      return announced(deps, event, signal)
    case 'annotated':
      return MACHINE_ENDED.has(event.annotation) ? ended(deps, event, signal) : ok(undefined)
    case 'availability':
    case 'other':
      // A machine that is only unavailable often comes back. The readiness of its node and the garbage collection decide.
      return ok(undefined)
  }
}

/** An event from a node. It may name machines of the one cluster that owns the topic only. */
async function announced(
  deps: AppDeps,
  event: Said<'scheduled'>,
  signal: AbortSignalLike,
): Promise<Result<InterruptionTarget | undefined, Problem>> {
  const { topic, eventId, notBefore, endsNode, eventType: reason } = event
  const gate = [...deps.clusters.values()].find(({ noticeTopic }) => noticeTopic !== undefined && noticeTopic === topic)
  if (gate === undefined || gate.id !== event.cluster) {
    const rule = `a notice for cluster ${event.cluster} is believed from the topic of that cluster's eventGridTopicId only, delivered in the Event Grid schema`
    return refused('event/topic', `${rule}; this one is of ${topic ?? 'no topic that Event Grid wrote'}`)
  }
  const runtime = await gate.open(signal)
  const claim = claimOfInstanceName(event.node, runtime.deps.settings.machineNames)
  if (claim === undefined) return ok(undefined)
  const when = endsNode ? 'announced' : 'passing'
  return ok({ runtime, interruption: defined({ claim, saidBy: 'node' as const, when, notBefore, eventId, reason } as const) })
}

/** An event from Azure. It may name resources of the subscription that it comes from only. */
async function ended(
  deps: AppDeps,
  event: Said<'annotated'>,
  signal: AbortSignalLike,
): Promise<Result<InterruptionTarget | undefined, Problem>> {
  const { topic, eventId, annotation: reason } = event
  const resourceId = event.resourceId.toLowerCase()
  if (topic === undefined || topic !== /^\/subscriptions\/[^/]+/.exec(resourceId)?.[0]) {
    const rule = `an event of Azure about ${event.resourceId} is believed from that resource's subscription only, delivered in the Event Grid schema`
    return refused('event/topic', `${rule}; this one is of ${topic ?? 'no topic that Event Grid wrote'}`)
  }
  const runtime = await findCluster(deps.clusters.values(), ({ instancePrefix }) => resourceId.startsWith(instancePrefix), signal)
  const name =
    runtime && /^providers\/microsoft\.compute\/virtualmachines\/([^/]+)$/.exec(resourceId.slice(runtime.instancePrefix.length))?.[1]
  const claim = runtime && name && claimOfInstanceName(name, runtime.deps.settings.machineNames)
  return ok(
    runtime && claim ? { runtime, interruption: { claim, saidBy: 'azure', resourceId, when: 'happened', eventId, reason } } : undefined,
  )
}

function refused(object: string, message: string): Result<never, Problem> {
  return err(problem('INPUT.FORBIDDEN', message, { object, path: 'topic' }))
}
