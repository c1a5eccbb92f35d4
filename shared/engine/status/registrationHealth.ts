import { type Condition, type ConditionUpdate, findCondition } from '../../model/condition.ts'
import { linkOfReason, splitLink, withLink } from '../../model/conditionLinks.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { ClusterLinks } from '../../model/portalLinks.ts'
import type { RegistrationOutcome } from '../../model/registrationOutcome.ts'

export const REGISTRATION_HEALTH = 'NodeRegistrationHealthy'
/** The number of outcomes by which a pool is judged, and the number of failures among them that makes it unhealthy. */
const WINDOW = 4
const TOO_MANY = 2

/**
 * Whether the machines of the pool come up, judged by the last four. Two failures make it unhealthy. The condition itself remembers what earlier
 * processes saw. A change of pool or NodeClass begins anew. `creationPause` decides what follows. Undefined if there is no such NodeClass.
 */
export function registrationHealth(
  pool: NodePool,
  nodeClass: NodeClass | undefined,
  outcomes: readonly RegistrationOutcome[],
  links?: ClusterLinks,
): ConditionUpdate | undefined {
  if (nodeClass === undefined) return undefined
  const ring = ringOf(pool, nodeClass, outcomes)
  const failed = ring.flatMap((each) => (each.joined ? [] : [each]))
  const last = failed.at(-1)
  if (last !== undefined && failed.length >= TOO_MANY) {
    const before = findCondition(pool.status.conditions, REGISTRATION_HEALTH)
    // The failures are those that earlier processes saw, so the stored condition stands.
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
  const message = 'no node has registered since the nodepool or the aksnodeclass changed'
  return { type: REGISTRATION_HEALTH, status: 'Unknown', reason: 'AwaitingRegistration', message }
}

/** The number of latest machines that failed in a row. */
export function failedInARow(pool: NodePool, nodeClass: NodeClass, outcomes: readonly RegistrationOutcome[]): number {
  const ring = ringOf(pool, nodeClass, outcomes)
  return ring.length - 1 - ring.findLastIndex(({ joined }) => joined)
}

/** Reports whether the condition is about the pool and NodeClass as they are now. */
export function isOfNow({ meta, status }: NodePool, nodeClass: NodeClass, { observedGeneration }: Condition): boolean {
  return observedGeneration === meta.generation && status.nodeClassObservedGeneration === nodeClass.meta.generation
}

type Remembered = { readonly joined: true } | { readonly joined: false; readonly reason: string; readonly message: string }

const JOINED: Remembered = { joined: true }
const FAILED: Remembered = { joined: false, reason: '', message: '' }

function ringOf(pool: NodePool, nodeClass: NodeClass, outcomes: readonly RegistrationOutcome[]): readonly Remembered[] {
  return [...remembered(pool, nodeClass), ...outcomes].slice(-WINDOW)
}

function remembered(pool: NodePool, nodeClass: NodeClass): readonly Remembered[] {
  const stored = findCondition(pool.status.conditions, REGISTRATION_HEALTH)
  if (stored === undefined || !isOfNow(pool, nodeClass, stored) || stored.status === 'Unknown') return []
  return stored.status === 'True' ? [JOINED] : [FAILED, FAILED]
}
