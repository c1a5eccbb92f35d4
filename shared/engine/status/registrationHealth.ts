import { type ConditionUpdate, findCondition } from '../../model/condition.ts'
import { linkOfReason, splitLink, withLink } from '../../model/conditionLinks.ts'
import type { JoinOutcome } from '../../model/joinOutcome.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { ClusterLinks } from '../../model/portalLinks.ts'

export const REGISTRATION_HEALTH = 'NodeRegistrationHealthy'
/** Outcomes a pool is judged by, and how many failures among them make it unhealthy. */
const WINDOW = 4
const TOO_MANY = 2

/**
 * Whether the pool's machines come up, judged by the last four; two that did not are too many. For people only: nothing is
 * held back by it. What earlier processes saw is remembered by the condition itself. A change of pool or class begins anew.
 */
export function registrationHealth(
  pool: NodePool,
  nodeClass: NodeClass | undefined,
  outcomes: readonly JoinOutcome[],
  links?: ClusterLinks,
): ConditionUpdate | undefined {
  if (nodeClass === undefined) return undefined
  const ring = [...remembered(pool, nodeClass), ...outcomes].slice(-WINDOW)
  const failed = ring.filter(({ joined }) => !joined)
  const last = failed.at(-1)
  if (last !== undefined && failed.length >= TOO_MANY) {
    const before = findCondition(pool.status.conditions, REGISTRATION_HEALTH)
    // Without a failure of our own to tell, what is written stands.
    if (last.message === '' && before !== undefined) return { ...before }
    const message = `${failed.length} of the last ${ring.length} nodeclaims brought no node; lately: ${splitLink(last.message).text}`
    return {
      type: REGISTRATION_HEALTH,
      status: 'False',
      reason: last.reason,
      message: withLink(message, linkOfReason(links, last.reason, {})),
    }
  }
  if (ring.some(({ joined }) => joined)) return { type: REGISTRATION_HEALTH, status: 'True' }
  const message = 'no nodeclaim has brought a node since nodepool or aksnodeclass changed'
  return { type: REGISTRATION_HEALTH, status: 'Unknown', reason: 'AwaitingRegistration', message }
}

const JOINED: JoinOutcome = { joined: true, reason: '', message: '' }
const FAILED: JoinOutcome = { joined: false, reason: '', message: '' }

function remembered({ meta, status }: NodePool, nodeClass: NodeClass): readonly JoinOutcome[] {
  const stored = findCondition(status.conditions, REGISTRATION_HEALTH)
  const isOfNow = stored?.observedGeneration === meta.generation && status.nodeClassObservedGeneration === nodeClass.meta.generation
  if (stored === undefined || !isOfNow || stored.status === 'Unknown') return []
  return stored.status === 'True' ? [JOINED] : [FAILED, FAILED]
}
