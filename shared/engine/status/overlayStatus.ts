import { canonicalJson } from '../../base/canonicalJson.ts'
import { byKey } from '../../base/order.ts'
import type { ConditionUpdate } from '../../model/condition.ts'
import type { Action } from '../../model/decision.ts'
import type { FleetSnapshot } from '../cluster/fleetSnapshot.ts'
import { rejectedOverlays } from '../overlay/overlaidTypes.ts'
import { updated } from './updated.ts'

const TYPE = 'ValidationSucceeded'

/** The status of NodeOverlays that has changed: whether they are applied, and why not. */
export function overlayStatuses(snapshot: FleetSnapshot): readonly Action[] {
  const rejected = rejectedOverlays(snapshot)
  return [...snapshot.objects.nodeOverlay].sort(byKey((each) => each.name)).flatMap(({ name, meta, status }) => {
    const why = rejected.get(name)
    const update: ConditionUpdate = why === undefined ? { type: TYPE, status: 'True' } : { type: TYPE, status: 'False', ...why }
    const conditions = updated(status.conditions, [update], [TYPE], meta, snapshot.takenAt)
    const isSame = canonicalJson(conditions) === canonicalJson(status.conditions)
    return isSame ? [] : [{ kind: 'patchNodeOverlayStatus', nodeOverlay: name, conditions } as const]
  })
}
