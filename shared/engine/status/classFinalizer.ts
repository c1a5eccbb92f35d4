import { byText } from '../../base/order.ts'
import type { Action } from '../../model/decision.ts'
import { CLASS_FINALIZER } from '../../model/labels.ts'
import { type NodeClass, refersTo } from '../../model/nodeClass.ts'
import type { FleetSnapshot } from '../cluster/fleetSnapshot.ts'

/** The most NodeClaims that an Event names, as in Karpenter's provider. */
const MOST_NAMED = 5

/**
 * A NodeClass has a finalizer from the start, so that it stays as long as a NodeClaim refers to it. A class that is being deleted loses it when none
 * does. Until then an Event names the NodeClaims.
 */
export function classFinalizer({ name, meta }: NodeClass, { fleet }: FleetSnapshot): readonly Action[] {
  const isHeld = meta.finalizers.includes(CLASS_FINALIZER)
  if (meta.deletedAt === undefined) return isHeld ? [] : [{ kind: 'holdNodeClass', nodeClass: name }]
  if (!isHeld) return []
  const claims = [...fleet.all()]
    .flatMap(({ claim }) => (claim !== undefined && refersTo(claim.spec, name) ? [claim.name] : []))
    .sort(byText)
  if (claims.length === 0) return [{ kind: 'releaseNodeClass', nodeClass: name }]
  const more = claims.length > MOST_NAMED ? ` and ${claims.length - MOST_NAMED} more` : ''
  const message = `stays until the nodeclaims that refer to it are gone: ${claims.slice(0, MOST_NAMED).join(', ')}${more}`
  const reason = 'WaitingOnNodeClaimTermination'
  return [{ kind: 'publish', event: { subject: { kind: 'nodeClass', name }, uid: meta.uid, type: 'Normal', reason, message, key: reason } }]
}
