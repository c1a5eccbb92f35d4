import { type Condition, type ConditionUpdate, setCondition, withRoot } from '../../model/condition.ts'
import type { Meta } from '../../model/meta.ts'
import type { EpochMs } from '../../model/units.ts'

/** The conditions after the updates, with `Ready` as it follows from the dependents. */
export function updated(
  conditions: readonly Condition[],
  updates: readonly ConditionUpdate[],
  dependents: readonly string[],
  { generation, createdAt, deletedAt }: Meta,
  now: EpochMs,
): readonly Condition[] {
  const holder = { generation, createdAt, deleting: deletedAt !== undefined }
  const set = updates.reduce((all, update) => setCondition(all, update, holder, now), withRoot(conditions, dependents, holder, now))
  return withRoot(set, dependents, holder, now)
}
