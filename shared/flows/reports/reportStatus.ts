import type { Result } from '../../base/result.ts'
import type { Action } from '../../model/decision.ts'
import type { Problem, ProblemCode } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { logRefused } from '../deps/doEach.ts'

/** An action that only reports, as a status, an annotation of a NodePool or an Event. It creates and deletes nothing. */
export type ReportAction = Extract<
  Action,
  {
    readonly kind:
      | 'patchNodeClassStatus'
      | 'patchNodePoolStatus'
      | 'annotateNodePool'
      | 'patchNodeOverlayStatus'
      | 'patchCapacityBufferStatus'
      | 'publish'
  }
>

const REFUSALS: ReadonlySet<ProblemCode> = new Set(['KUBE.INVALID', 'KUBE.FORBIDDEN'])

/** The name of the action in log messages. */
export function nameOfReportAction(action: ReportAction): string {
  switch (action.kind) {
    case 'patchNodeClassStatus':
      return `the status of aksnodeclass ${action.nodeClass}`
    case 'patchNodePoolStatus':
      return `the status of nodepool ${action.nodePool}`
    case 'annotateNodePool':
      return `the annotations of nodepool ${action.nodePool}`
    case 'patchNodeOverlayStatus':
      return `the status of nodeoverlay ${action.nodeOverlay}`
    case 'patchCapacityBufferStatus':
      return `the status of capacitybuffer ${action.capacityBuffer}`
    case 'publish':
      return `an event about ${action.event.subject.kind} ${action.event.subject.name}`
  }
}

/**
 * Writes what an action reports. An object that is gone or was changed meanwhile is judged again by the next decision. A write that the API server
 * refuses is logged. It is not tried again before the next decision, since only an operator can allow it.
 */
export async function reportStatus(deps: ClusterDeps, action: ReportAction, signal: AbortSignalLike): Promise<void> {
  const told = await write(deps, action, signal)
  if (told && !told.ok && REFUSALS.has(told.error.code)) logRefused(deps, nameOfReportAction(action), told.error)
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
    case 'annotateNodePool':
      return api.annotateNodePool(action.nodePool, action.annotations, signal)
    case 'patchNodeOverlayStatus':
      return api.patchNodeOverlayStatus(action.nodeOverlay, { conditions: action.conditions }, signal)
    case 'patchCapacityBufferStatus':
      return api.patchCapacityBufferStatus(action.capacityBuffer, action.status, signal)
    case 'publish':
      return api.publish(action.event, signal)
  }
}
