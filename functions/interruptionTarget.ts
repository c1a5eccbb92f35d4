import { defined } from '../shared/base/defined.ts'
import type { Interruption } from '../shared/flows/interrupt.ts'
import { claimOfInstanceName } from '../shared/model/ids.ts'
import type { InterruptionEvent } from '../shared/wire/eventGrid.ts'
import type { AppDeps, ClusterRuntime } from './appDeps.ts'

export type InterruptionTarget = { readonly runtime: ClusterRuntime; readonly interruption: Interruption }

/** Marks that say the machine is gone or on its way out, by whoever's hand. */
const MACHINE_ENDED: ReadonlySet<string> = new Set(['VirtualMachinePreempted', 'VirtualMachineDeallocationInitiated'])

/** The machine of ours that an event ends, or undefined when it ends none. */
export function interruptionTarget(deps: AppDeps, event: InterruptionEvent): InterruptionTarget | undefined {
  switch (event.kind) {
    case 'scheduled': {
      const runtime = deps.clusters.get(event.cluster)
      const claim = runtime && claimOfInstanceName(event.node, runtime.deps.settings.machineNames)
      if (runtime === undefined || claim === undefined || !event.endsNode) return undefined
      const { eventId, notBefore } = event
      return {
        runtime,
        interruption: defined({ claim, when: 'announced' as const, notBefore, eventId, reason: `Azure announced ${event.eventType}` }),
      }
    }
    case 'annotated':
      return MACHINE_ENDED.has(event.annotation) ? byResource(deps, event.resourceId, event.eventId, event.annotation) : undefined
    case 'availability':
    case 'other':
      // A machine that is merely unavailable often comes back; its node's own readiness and the garbage collection decide.
      return undefined
  }
}

function byResource(deps: AppDeps, resourceId: string, eventId: string, reason: string): InterruptionTarget | undefined {
  const id = resourceId.toLowerCase()
  const runtime = [...deps.clusters.values()].find(({ instancePrefix }) => id.startsWith(instancePrefix))
  const claim = runtime && claimOfInstanceName(id.slice(id.lastIndexOf('/') + 1), runtime.deps.settings.machineNames)
  return runtime === undefined || claim === undefined ? undefined : { runtime, interruption: { claim, when: 'happened', eventId, reason } }
}
