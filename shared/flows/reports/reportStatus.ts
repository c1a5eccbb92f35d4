import type { Result } from '../../base/result.ts'
import type { Action } from '../../model/decision.ts'
import type { Problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { logRefused } from '../deps/doEach.ts'

/** An action that only reports, as a status or an Event. It creates and deletes nothing. */
export type ReportAction = Extract<
  Action,
  {
    readonly kind: 'patchNodeClassStatus' | 'patchNodePoolStatus' | 'patchNodeOverlayStatus' | 'patchCapacityBufferStatus' | 'publish'
  }
>

/** The name of the action in log messages. */
export function nameOfReportAction(action: ReportAction): string {
  switch (action.kind) {
    case 'patchNodeClassStatus':
      return `the status of aksnodeclass ${action.nodeClass}`
    case 'patchNodePoolStatus':
      return `the status of nodepool ${action.nodePool}`
    case 'patchNodeOverlayStatus':
      return `the status of nodeoverlay ${action.nodeOverlay}`
    case 'patchCapacityBufferStatus':
      return `the status of capacitybuffer ${action.capacityBuffer}`
    case 'publish':
      return `an event about ${action.event.subject.kind} ${action.event.subject.name}`
  }
}

/** Writes a status or an Event. An object that is gone or was changed meanwhile is judged again by the next decision. An invalid status is logged. */
export async function reportStatus(deps: ClusterDeps, action: ReportAction, signal: AbortSignalLike): Promise<void> {
  const told = await write(deps, action, signal)
  if (told && !told.ok && told.error.code === 'KUBE.INVALID') logRefused(deps, nameOfReportAction(action), told.error)
}

async function write({ api }: ClusterDeps, action: ReportAction, signal: AbortSignalLike): Promise<Result<void, Problem> | void> {
  switch (action.kind) {
    case 'patchNodeClassStatus': {
      const { kind: _, nodeClass, ...status } = action
      return api.patchNodeClassStatus(nodeClass, status, signal)
    }
    case 'patchNodePoolStatus': {
      const { kind: _, nodePool, ...status } = action
      return api.patchNodePoolStatus(nodePool, status, signal)
    }
    case 'patchNodeOverlayStatus':
      return api.patchNodeOverlayStatus(action.nodeOverlay, { conditions: action.conditions }, signal)
    case 'patchCapacityBufferStatus':
      return api.patchCapacityBufferStatus(action.capacityBuffer, action.status, signal)
    case 'publish':
      return api.publish(action.event, signal)
  }
}
