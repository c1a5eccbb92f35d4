/** Rules that freeze the moves of a machine, whatever the machine is. */
import { findCondition } from '../../../model/condition.ts'
import type { Reason } from '../../../model/decision.ts'
import { CREATION_FORBIDDEN, CREATION_PAUSED } from '../../../model/nodePool.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import { type CandidateWithCost, reasonOf } from '../candidates/candidate.ts'
import { calmOf } from './calm.ts'

/** Why no machine may go: Azure forbids new nodes of some pool, so a machine that goes could not be replaced. Undefined if it forbids none. */
export function forbiddenIn({ objects }: FleetSnapshot): string | undefined {
  const names = objects.nodePool.flatMap(({ name, status }) =>
    findCondition(status.conditions, CREATION_PAUSED)?.reason === CREATION_FORBIDDEN ? [name] : [],
  )
  if (names.length === 0) return undefined
  return `Azure refuses to create nodes of nodepool ${names.sort().join(', ')}, so a node that is removed now could not be replaced`
}

/** Why the machine may not be moved: its moves are frozen, or a rule of its pool cannot be read. Undefined if it may. */
export function frozenBy(
  { claim, pool }: CandidateWithCost,
  { settings }: FleetSnapshot,
  forbidden: string | undefined,
): Reason | undefined {
  if (forbidden !== undefined) return reasonOf(claim, 'DISRUPTION.FROZEN', forbidden)
  const calm = calmOf(pool, settings)
  if ('problem' in calm)
    return reasonOf(claim, 'DISRUPTION.CALM', `nodepool ${pool.name}: ${calm.problem}; its nodes stay until that is corrected`)
  return calm.isFrozen
    ? reasonOf(
        claim,
        'DISRUPTION.FROZEN',
        `disruption of nodepool ${pool.name} is frozen by DISRUPTION_FREEZE or by the annotation joiner.dev/freeze-disruption`,
      )
    : undefined
}
