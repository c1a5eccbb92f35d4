/** The status of CapacityBuffers: the pods that they keep room for, and whether there is room for these pods. */
import { canonicalJson } from '../../../base/json.ts'
import { byKey } from '../../../base/lists.ts'
import { defined } from '../../../base/values.ts'
import type { CapacityBuffer, CapacityBufferStatus } from '../../../model/capacityBuffer.ts'
import { type ConditionUpdate, setCondition } from '../../../model/condition.ts'
import type { Action } from '../../../model/decision.ts'
import type { Uid } from '../../../model/ids.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { Assignment } from '../choice/newPlan.ts'
import { type BufferObjects, type BufferSource, bufferPodUid, bufferSource } from '../model/pods/buffers.ts'

/** A patch for each CapacityBuffer whose status changes. `assigned` is undefined if there were no pods to place. */
export function bufferStatuses(objects: BufferObjects, assigned: (() => Assignment) | undefined, now: EpochMs): readonly Action[] {
  if (objects.capacityBuffer.length === 0) return []
  const assignment = assigned?.()
  const present = new Set(assignment?.onExistingNodes.map(({ pod }) => pod.uid))
  const unplaced = new Set([...(assignment?.unplaced.values() ?? [])].flatMap((pods) => pods.map((pod) => pod.uid)))
  return [...objects.capacityBuffer].sort(byKey((each) => each.key)).flatMap((buffer) => {
    const source = bufferSource(buffer, objects)
    const status = statusOf(buffer, source, roomUpdate(buffer, source, present, unplaced), now)
    const isSame = canonicalJson(sorted(status)) === canonicalJson(sorted(buffer.status))
    return isSame ? [] : [{ kind: 'patchCapacityBufferStatus', capacityBuffer: buffer.key, status } as const]
  })
}

function statusOf({ meta, podTemplate, strategy, status }: CapacityBuffer, source: BufferSource, room: ConditionUpdate, now: EpochMs) {
  const isResolved = source.kind === 'resolved'
  const resolved: ConditionUpdate = isResolved
    ? { type: 'ReadyForProvisioning', status: 'True', reason: 'Resolved' }
    : { type: 'ReadyForProvisioning', status: 'False', reason: source.reason, message: source.message }
  const conditions = [resolved, room].reduce((all, update) => setCondition(all, update, meta, now), status.conditions)
  return defined({
    podTemplate: isResolved ? podTemplate : undefined,
    podTemplateGeneration: isResolved ? source.generation : undefined,
    replicas: isResolved ? source.count : 0,
    strategy,
    conditions,
  }) satisfies CapacityBufferStatus
}

function roomUpdate(buffer: CapacityBuffer, source: BufferSource, present: ReadonlySet<Uid>, unplaced: ReadonlySet<Uid>): ConditionUpdate {
  const type = 'Provisioning'
  if (source.kind === 'missing') return { type, status: 'False', reason: 'NotReadyForProvisioning' }
  if (source.count === 0)
    return {
      type,
      status: 'False',
      reason: 'BufferEmpty',
      message: 'the buffer asks for no pods; to do: set spec.replicas, spec.percentage or spec.limits',
    }
  const uids = Array.from({ length: source.count }, (_, index) => bufferPodUid(buffer, index + 1))
  const failed = uids.filter((uid) => unplaced.has(uid)).length
  const fresh = uids.filter((uid) => !present.has(uid)).length - failed
  if (failed + fresh === 0) return { type, status: 'True', reason: 'FitsExistingCapacity' }
  const message = `of ${source.count} pods ${fresh} need new nodes and ${failed} have no place`
  return { type, status: 'False', reason: 'RequiresNewCapacity', message }
}

function sorted({ conditions, ...rest }: CapacityBufferStatus): object {
  return { ...rest, conditions: [...conditions].sort(byKey((each) => each.type)) }
}
