/** The annotation that orders the pods of a ReplicaSet at a scale-down. */
import { PLANNED_DELETION_COST, POD_ANNOTATION } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'

type Annotated = Pick<Pod, 'annotations'>

/** Reports whether the pod has the deletion cost that Joiner writes. */
export function isCostPlanned({ annotations }: Annotated): boolean {
  return annotations[POD_ANNOTATION.deletionCost] === PLANNED_DELETION_COST
}

/** Reports whether the pod may get the deletion cost that Joiner writes: a ReplicaSet owns the pod, and the pod has no cost yet. */
export function mayGetCost({ owner, annotations }: Annotated & Pick<Pod, 'owner'>): boolean {
  return owner?.kind === 'ReplicaSet' && owner.apiVersion === 'apps/v1' && annotations[POD_ANNOTATION.deletionCost] === undefined
}
