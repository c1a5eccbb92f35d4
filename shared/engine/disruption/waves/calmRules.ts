/** Rules that calm settings make: the limit on consolidation moves that begin within an hour, the rest after a move, and the limit on extra nodes. */
import { remembered } from '../../../base/caches.ts'
import { largestOf, markOfMap, markOfSet } from '../../../base/lists.ts'
import type { Reason } from '../../../model/decision.ts'
import type { BegunMove, ExtraNodes, MoveRest } from '../../../model/disruptionCommand.ts'
import type { NodeClaimName, Uid } from '../../../model/ids.ts'
import type { DisruptionReason, NodePool } from '../../../model/nodePool.ts'
import type { Pod } from '../../../model/pod.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import { type CandidateWithCost, reasonOf } from '../candidates/candidate.ts'
import { isUnderWay } from '../commands/moveRests.ts'
import type { Move, MoveRule } from '../moves/move.ts'
import { calmSetting, nameOfSetting } from './calm.ts'

const HOUR = durationMs(3_600_000)

/** Calm settings hold consolidation. Drifted and broken nodes go all the same. */
function isConsolidation(reason: DisruptionReason): boolean {
  return reason !== 'Drifted' && reason !== 'Unhealthy'
}

/** Reports whether a begun move still counts. */
export function isWithinHour({ beganAt }: BegunMove, now: EpochMs): boolean {
  return now < later(beganAt, HOUR)
}

/** The limit on consolidation moves of a pool that begin within an hour. */
export function hourlyMoves({ begunMoves = [], settings, takenAt }: FleetSnapshot): MoveRule {
  const lately = begunMoves.filter((each) => isWithinHour(each, takenAt))
  const begun = new Map<NodePool, number>()
  const wakes = new Set<EpochMs>()

  // Every candidate of a decision is asked, and pools are few.
  const limitOf = remembered((pool: NodePool) => calmSetting(pool, 'mostMovesAnHour', settings))

  function against({ claim, pool }: CandidateWithCost): Reason | undefined {
    const most = limitOf(pool)
    if (most === 0) return undefined
    const before = lately.flatMap(({ pools, beganAt }) => (pools.includes(pool.name) ? [beganAt] : [])).sort((one, other) => one - other)
    const count = before.length + (begun.get(pool) ?? 0)
    if (count < most) return undefined
    const from = later(before[count - most] ?? takenAt, HOUR)
    wakes.add(from)
    const seconds = Math.ceil((from - takenAt) / 1000)
    const message = `nodepool ${pool.name} lets moves of its nodes begin ${most} times an hour (${nameOfSetting(pool, 'mostMovesAnHour')}); the next may begin in ${seconds} s`
    return reasonOf(claim, 'DISRUPTION.CALM', message, { most, begun: count, seconds })
  }

  return {
    holdsNone: (pool, reason) => !isConsolidation(reason) || limitOf(pool) === 0,
    refusal({ candidates, reason }) {
      if (!isConsolidation(reason)) return undefined
      for (const each of candidates) {
        const refused = against(each)
        if (refused !== undefined) return refused
      }
      return undefined
    },
    begin({ candidates, reason }) {
      if (!isConsolidation(reason)) return
      for (const pool of new Set(candidates.map((each) => each.pool))) begun.set(pool, (begun.get(pool) ?? 0) + 1)
    },
    wakes: () => [...wakes],
    mark: () => markOfMap(begun),
  }
}

/** The moves to remember: those of pools with a limit. */
export function begunMovesOf(moves: readonly Move[], { settings, takenAt }: FleetSnapshot): readonly BegunMove[] {
  return moves.flatMap(({ reason, candidates }): readonly BegunMove[] => {
    const pools = new Set(candidates.map(({ pool }) => pool))
    if (!isConsolidation(reason) || ![...pools].some((pool) => calmSetting(pool, 'mostMovesAnHour', settings) > 0)) return []
    return [{ pools: [...pools].map(({ name }) => name).sort(), beganAt: takenAt }]
  })
}

/** The rest after a move: what took part in it is not consolidated for a while. Empty machines go all the same, since that moves no pod. */
export function restAfterMoves({ moveRests = [], commands, settings, takenAt }: FleetSnapshot): MoveRule {
  const rests = moveRests
    .map((rest) => ({ rest, isMoving: isUnderWay(rest, commands) }))
    .filter(({ rest, isMoving }) => isMoving || takenAt < rest.until)
  /** Workloads that this decision moves. */
  const moving = new Set<Uid>()
  const wakes = new Set<EpochMs>()
  const known = new Map<CandidateWithCost['machine'], Reason | undefined>()

  function remembered(machine: CandidateWithCost): Reason | undefined {
    for (const { rest, isMoving } of rests) {
      const what = restingPart(machine, rest)
      if (what === undefined) continue
      if (isMoving) return reasonOf(machine.claim, 'DISRUPTION.CALM', `${what} a move that is under way (${REST_SETTINGS})`)
      wakes.add(rest.until)
      const seconds = Math.ceil((rest.until - takenAt) / 1000)
      return reasonOf(machine.claim, 'DISRUPTION.CALM', `${what} a move a short while ago (${REST_SETTINGS}); ${seconds} s are left`, {
        seconds,
      })
    }
    return undefined
  }

  function ofThisDecision({ claim, pods }: CandidateWithCost): Reason | undefined {
    const pod = moving.size === 0 ? undefined : pods.find(({ owner }) => owner !== undefined && moving.has(owner.uid))
    if (pod === undefined) return undefined
    return reasonOf(
      claim,
      'DISRUPTION.CALM',
      `pod ${pod.key} of it belongs to a workload with pods in a move that begins now (${REST_SETTINGS})`,
    )
  }

  return {
    holdsNone: (_pool, reason) => !isConsolidation(reason) || (rests.length === 0 && moving.size === 0),
    refusal({ candidates, reason }) {
      if (!isConsolidation(reason)) return undefined
      for (const each of candidates) {
        if (rests.length > 0 && !known.has(each.machine)) known.set(each.machine, each.pods.length === 0 ? undefined : remembered(each))
        const refused = known.get(each.machine) ?? ofThisDecision(each)
        if (refused !== undefined) return refused
      }
      return undefined
    },
    begin({ candidates }) {
      if (restOf(candidates, settings) === 0) return
      for (const workload of workloadsOf(candidates)) moving.add(workload)
    },
    wakes: () => [...wakes],
    mark: () => markOfSet(moving),
  }
}

/** What begins to rest with the moves. Only moves of pools with such a rest are remembered. */
export function moveRestsOf(moves: readonly Move[], { settings, takenAt, fleet }: FleetSnapshot): readonly MoveRest[] {
  const resting = moves.filter(({ candidates }) => candidates.some(({ pods }) => pods.length > 0) && restOf(candidates, settings) > 0)
  if (resting.length === 0) return []
  const claims = new Map<string, NodeClaimName>()
  for (const { name, claim } of fleet.all()) if (claim !== undefined) claims.set(name, claim.name)
  return resting.map(({ candidates, replacements, receivingMachines: onto = [] }) => {
    const duration = restOf(candidates, settings)
    return {
      moved: candidates.map(({ claim }) => claim.name).sort(),
      claims: [...onto.flatMap((name) => claims.get(name) ?? []), ...replacements.map(({ draft }) => draft.name)].sort(),
      workloads: [...workloadsOf(candidates)].sort(),
      duration,
      until: later(takenAt, duration),
    }
  })
}

const REST_SETTINGS = 'REST_AFTER_MOVE, joiner.dev/rest-after-move'

/** The part of the machine that rests, as the beginning of a sentence. */
function restingPart({ claim, pods }: CandidateWithCost, { claims, workloads }: MoveRest): string | undefined {
  if (claims.includes(claim.name)) return 'its node got pods in'
  const pod = pods.find(({ owner }) => owner !== undefined && workloads.includes(owner.uid))
  return pod === undefined ? undefined : `pod ${pod.key} of it belongs to a workload with pods in`
}

function workloadsOf(machines: readonly CandidateWithCost[]): ReadonlySet<Uid> {
  return new Set(machines.flatMap(({ pods }) => pods.flatMap(ownerOf)))
}

function ownerOf({ owner }: Pod): readonly Uid[] {
  return owner === undefined ? [] : [owner.uid]
}

/** The longest rest that the pools of the machines ask for. */
function restOf(machines: readonly CandidateWithCost[], settings: FleetSnapshot['settings']): DurationMs {
  const pools = new Set(machines.map(({ pool }) => pool))
  return durationMs(
    largestOf(
      [...pools].map((pool) => calmSetting(pool, 'restAfterMove', settings)),
      0,
    ),
  )
}

/** The limit on replacements that are there while the nodes that they replace are. Drifted and broken nodes go beyond it, and their replacements count. */
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
      // The replacements of drifted and broken nodes are not limited, and count.
      if (replacements.length === 0 || !isConsolidation(reason)) return undefined
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
