import { ownValue } from '../../base/ownValue.ts'
import { type Condition, type ConditionStatus, isTrue, ROOT_CONDITION } from '../../model/condition.ts'
import type { Action, Subject } from '../../model/decision.ts'
import type { Uid } from '../../model/ids.ts'
import { CREATION_PAUSED, DISRUPTION_RULES_INVALID, DRIFT_PAUSED } from '../../model/nodePool.ts'

/** A reason that passes by itself within moments. It gets no Event. */
const PASSING = 'NodeClassReadinessUnknown'
/** Event reasons that stand for reasons which a pool copies from its NodeClass. The copied reasons say little. */
const COPIED: { readonly [reason: string]: string } = { UnhealthyDependents: 'NodeClassNotReady' }

const BAD_IF_TRUE: ReadonlySet<string> = new Set([CREATION_PAUSED, DISRUPTION_RULES_INVALID, DRIFT_PAUSED])

function badOf(type: string): ConditionStatus {
  return BAD_IF_TRUE.has(type) ? 'True' : 'False'
}

export type StatusChange = {
  readonly subject: Subject
  readonly uid: Uid
  readonly before: readonly Condition[]
  readonly after: readonly Condition[]
}

/**
 * The Events about the conditions of an object: a warning while a condition is not what it should be, and one Event when the object becomes ready.
 * The publisher keeps repeated warnings to one Event.
 */
export function statusEvents({ subject, uid, before, after }: StatusChange): readonly Action[] {
  const failing = after.filter(({ type, status, reason }) => type !== ROOT_CONDITION && status === badOf(type) && reason !== PASSING)
  const becameReady = isTrue(after, ROOT_CONDITION) && !isTrue(before, ROOT_CONDITION)
  return [
    ...failing.map(({ reason, message }) => {
      const event = { subject, uid, type: 'Warning', reason: ownValue(COPIED, reason) ?? reason, message } as const
      return { kind: 'publish', event } as const
    }),
    ...(becameReady
      ? [{ kind: 'publish', event: { subject, uid, type: 'Normal', reason: ROOT_CONDITION, message: 'nodes can be created' } } as const]
      : []),
  ]
}
