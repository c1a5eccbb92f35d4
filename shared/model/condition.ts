import { splitLink } from './conditionLinks.ts'
import type { EpochMs } from './units.ts'

export type ConditionStatus = 'True' | 'False' | 'Unknown'

export type Condition = {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason: string
  readonly message: string
  readonly lastTransitionAt: EpochMs
  readonly observedGeneration: number
}

/** What a caller sets of a condition. The other fields follow from the object and the clock. */
export type ConditionUpdate = {
  readonly type: string
  readonly status: ConditionStatus
  /** Undefined: the reason is the type. */
  readonly reason?: string
  readonly message?: string
}

/** The object that the conditions belong to, at the time of the update. */
export type ConditionHolder = {
  readonly generation: number
  readonly createdAt: EpochMs
  /** True: setting a condition updates the generation of every condition. Otherwise the root would look stale on an object that is being deleted. */
  readonly deleting?: boolean
}

export const ROOT_CONDITION = 'Ready'
/** Condition of a claim that is about to be taken away. */
export const DISRUPTION_REASON = 'DisruptionReason'
const AWAITING_RECONCILIATION = 'AwaitingReconciliation'

export function findCondition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type)
}

export function isTrue(conditions: readonly Condition[], type: string): boolean {
  return findCondition(conditions, type)?.status === 'True'
}

/** Sets one condition. Its transition time changes only with its status. Its observed generation is always the current one. */
export function setCondition(
  conditions: readonly Condition[],
  update: ConditionUpdate,
  holder: ConditionHolder,
  now: EpochMs,
): readonly Condition[] {
  const before = findCondition(conditions, update.type)
  const next: Condition = {
    type: update.type,
    status: update.status,
    reason: update.reason ?? update.type,
    message: update.message ?? '',
    lastTransitionAt: before?.status === update.status ? before.lastTransitionAt : now,
    observedGeneration: holder.generation,
  }
  const others = conditions.filter(({ type }) => type !== update.type)
  return [...(holder.deleting ? others.map((other) => ({ ...other, observedGeneration: holder.generation })) : others), next]
}

/** Removes a condition. */
export function clearCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.filter((condition) => condition.type !== type)
}

/** Adds missing dependents as Unknown since the object's creation. */
export function withDependents(
  conditions: readonly Condition[],
  dependents: readonly string[],
  holder: ConditionHolder,
): readonly Condition[] {
  const missing = dependents.filter((type) => !findCondition(conditions, type)).map((type) => awaiting(type, holder))
  return [...conditions, ...missing]
}

/**
 * Adds missing dependents, and computes `Ready` from the dependents: True if all are True at the current generation, False if one is False at it,
 * Unknown otherwise. Ordered by transition time, with `Ready` last.
 */
export function withRoot(
  conditions: readonly Condition[],
  dependents: readonly string[],
  holder: ConditionHolder,
  now: EpochMs,
): readonly Condition[] {
  const all = withDependents(conditions, dependents, holder)
  const started = findCondition(conditions, ROOT_CONDITION) ?? awaiting(ROOT_CONDITION, holder)
  const rest = all.filter(({ type }) => type !== ROOT_CONDITION)
  // In the order of `dependents`, so that the message does not change with the order of the list.
  const feeding = dependents.flatMap((type) => findCondition(rest, type) ?? [])
  const [root] = setCondition([started], rootUpdate(feeding, holder.generation), { ...holder, deleting: false }, now)
  return [...rest].sort((first, second) => first.lastTransitionAt - second.lastTransitionAt).concat(root ?? [])
}

function rootUpdate(dependents: readonly Condition[], generation: number): ConditionUpdate {
  const isCurrent = (condition: Condition): boolean => condition.observedGeneration === generation
  const open = dependents.filter((condition) => condition.status !== 'True' || !isCurrent(condition))
  if (open.length === 0) return { type: ROOT_CONDITION, status: 'True' }
  const failed = open.filter((condition) => condition.status === 'False' && isCurrent(condition))
  if (failed.length > 0) return { type: ROOT_CONDITION, status: 'False', reason: 'UnhealthyDependents', message: listed(failed) }
  return { type: ROOT_CONDITION, status: 'Unknown', reason: 'ReconcilingDependents', message: listed(open) }
}

/**
 * Lists the conditions. A failed condition includes its message, so that one look at `Ready` is enough. Its link is left out and stays in its own
 * message.
 */
function listed(conditions: readonly Condition[]): string {
  return conditions
    .map(({ type, status, message }) => `${type}=${status}${status === 'False' && message ? `: ${splitLink(message).text}` : ''}`)
    .join(', ')
}

function awaiting(type: string, { generation, createdAt }: ConditionHolder): Condition {
  return {
    type,
    status: 'Unknown',
    reason: AWAITING_RECONCILIATION,
    message: 'object is awaiting reconciliation',
    lastTransitionAt: createdAt,
    observedGeneration: generation,
  }
}
