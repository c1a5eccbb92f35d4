/** The limit on replacements that are there while the nodes that they replace are. Drifted nodes go beyond it, and their replacements count. */
import type { Reason } from '../../../model/decision.ts'
import type { ExtraNodes } from '../../../model/disruptionCommand.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import { type CandidateWithCost, reasonOf } from '../candidates/candidate.ts'
import { markOfMap } from '../candidates/marks.ts'
import type { Move } from '../moves/move.ts'
import type { MoveRule } from '../moves/moveRule.ts'
import { calmSetting, nameOfSetting } from './calm.ts'

export function extraNodesRule({ extraNodes = [], settings, fleet }: FleetSnapshot): MoveRule {
  const extra = extraNodes.length === 0 ? [] : leftOf(extraNodes, fleet.all())
  /** Replacements that this decision makes. */
  const made = new Map<NodePool, number>()

  function against({ claim, pool }: CandidateWithCost, replacements: number): Reason | undefined {
    const most = calmSetting(pool, 'mostExtraNodes', settings)
    if (most === 0) return undefined
    const before = extra.reduce((sum, { pools, nodes }) => sum + (pools.includes(pool.name) ? nodes : 0), made.get(pool) ?? 0)
    if (before + replacements <= most) return undefined
    const limit = `nodepool ${pool.name} allows ${most} (${nameOfSetting(pool, 'mostExtraNodes')})`
    const message = `nodes that the move makes before its own nodes go: ${replacements}; such nodes of other moves: ${before}; ${limit}`
    return reasonOf(claim, 'DISRUPTION.CALM', message, { most, needed: replacements, before })
  }

  return {
    refusal({ candidates, reason, replacements = [] }) {
      // The replacements of drifted nodes are not limited, and count.
      if (replacements.length === 0 || reason === 'Drifted') return undefined
      for (const each of candidates) {
        const refused = against(each, replacements.length)
        if (refused !== undefined) return refused
      }
      return undefined
    },
    begin({ candidates, replacements = [] }) {
      for (const pool of new Set(candidates.map((each) => each.pool))) made.set(pool, (made.get(pool) ?? 0) + replacements.length)
    },
    // A node that goes is a change of the cluster, and each change is followed by a decision.
    wakes: () => [],
    mark: () => markOfMap(made),
  }
}

/** The replacements to remember: those of pools with a limit. */
export function extraNodesOf(moves: readonly Move[], { settings }: FleetSnapshot): readonly ExtraNodes[] {
  return moves.flatMap(({ candidates, replacements }): readonly ExtraNodes[] => {
    const pools = new Set(candidates.map(({ pool }) => pool))
    if (replacements.length === 0 || ![...pools].some((pool) => calmSetting(pool, 'mostExtraNodes', settings) > 0)) return []
    const moved = candidates.map(({ claim }) => claim.name).sort()
    return [{ pools: [...pools].map(({ name }) => name).sort(), moved, replacements: replacements.length }]
  })
}

type Left = Pick<ExtraNodes, 'pools'> & { readonly nodes: number }

/** The replacements for which no moved node has gone. */
function leftOf(extraNodes: readonly ExtraNodes[], machines: Iterable<{ readonly claim?: CandidateWithCost['claim'] }>): readonly Left[] {
  const standing = new Set<string>()
  for (const { claim } of machines) if (claim !== undefined) standing.add(claim.name)
  return extraNodes.map(({ pools, moved, replacements }) => {
    const gone = moved.filter((claim) => !standing.has(claim)).length
    return { pools, nodes: gone === moved.length ? 0 : Math.max(0, replacements - gone) }
  })
}
