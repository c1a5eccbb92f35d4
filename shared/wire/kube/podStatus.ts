import { ANNOTATION, type Labels } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Trail } from '../codec.ts'
import { instant, items, type KubeObject, maybe, object, oneOf } from './read.ts'

type PodStatus = Pick<Pod, 'phase'> & {
  readonly [Member in 'unschedulableSince' | 'scheduledAt' | 'startedAt' | 'isUnready']: Pod[Member] | undefined
}

/** Reads what scheduler and kubelet report about a pod. `annotations` are those of the pod: some members matter only with an annotation. */
export function podStatusOf(status: KubeObject, createdAt: EpochMs, annotations: Labels, trail: Trail): PodStatus {
  const conditions = items(status, 'conditions', object, trail)
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled')
  const ready = conditions.find(({ type }) => type === 'Ready')
  const since = scheduled && maybe(scheduled, 'lastTransitionTime', instant, trail)
  const phaseNow = maybe(status, 'phase', phase, trail) ?? 'Pending'
  return {
    phase: phaseNow,
    // The reason of the condition counts, not its status. A pod with a scheduling gate has another reason.
    unschedulableSince: scheduled?.['reason'] === 'Unschedulable' ? (since ?? createdAt) : undefined,
    scheduledAt: scheduled?.['status'] === 'True' ? since : undefined,
    startedAt: annotations[ANNOTATION.doNotDisrupt] === undefined ? undefined : maybe(status, 'startTime', instant, trail),
    isUnready: phaseNow === 'Running' && ready?.['status'] === 'False' ? true : undefined,
  }
}

const phase = oneOf('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown')
