import { defined } from '../../base/defined.ts'
import { leastOf } from '../../base/lists.ts'
import { byText } from '../../base/order.ts'
import type { Decision, Reason } from '../../model/decision.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { Sight } from '../cluster/sight.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { tellBrokenTimeouts } from './brokenTimeouts.ts'
import { nextEdge } from './budgets.ts'
import type { Weighed } from './candidate.ts'
import { endDrifted } from './drift.ts'
import { endEmpty } from './emptiness.ts'
import { extraNodesOf } from './extraNodes.ts'
import { begunMovesOf } from './hourlyMoves.ts'
import { judgeAll, type Planner } from './judgeAll.ts'
import { actionsOf, type Move } from './move.ts'
import { moveNodes } from './moveNodes.ts'
import { podBudgets } from './podBudgets.ts'
import { moveRestsOf } from './restAfterMoves.ts'
import { createWave } from './wave.ts'

/**
 * Decides which machines to take away now, as many at once as budgets allow: empty machines, drifted machines, then machines whose pods fit
 * elsewhere or on something cheaper. Every candidate that stays gets a reason. Before `movesFrom` only empty machines are looked at.
 */
export function decideDisruption(sight: Sight, planner: Planner): Decision {
  const { movesFrom } = sight
  if (movesFrom === undefined || sight.takenAt >= movesFrom) return disrupt(sight, planner, sight.fleet.all())
  const few = fewOf(sight, planner.ending)
  const { wakeAt, ...decided } = disrupt(sight, { ...planner, relocate: undefined }, few)
  const wakes = [...(wakeAt === undefined ? [] : [wakeAt]), ...(hasOthers(sight, few) ? [movesFrom] : [])]
  return { ...decided, ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) }
}

/** Empty machines, and machines that end in any case and count for budgets. */
function fewOf({ fleet }: Sight, ending: ReadonlySet<string>): ReadonlySet<StateNode> {
  const ends = ending.size === 0 ? [] : [...fleet.all()].filter(({ claim }) => claim !== undefined && ending.has(claim.name))
  return new Set([...fleet.empty(), ...ends])
}

/** Reports whether other machines with a claim are left to be judged later. */
function hasOthers({ fleet }: Sight, few: ReadonlySet<StateNode>): boolean {
  for (const machine of fleet.all()) if (machine.claim !== undefined && !few.has(machine)) return true
  return false
}

function disrupt(sight: Sight, planner: Planner, machines: Iterable<StateNode>): Decision {
  const judged = judgeAll(sight, planner, machines)
  const wave = createWave(sight, podBudgets(sight.objects.podDisruptionBudget))
  for (const each of judged.weighed) if (planner.ending.has(each.claim.name)) wave.take([each])
  const reasons: Reason[] = [...judged.reasons]
  const refuse = (reason: Reason): void => void reasons.push(reason)
  const quietOnes = endEmpty(judged.quiet, wave, refuse)
  const stays = ({ machine, pods }: Weighed): boolean => pods.length === 0 && !wave.hasTaken(machine)
  const empty = [...quietOnes, ...endDrifted(judged.drifted.filter(stays), wave, refuse)]
  const { moves, wakes: times, turn } = moveNodes(judged, { sight, planner, wave, refuse, begun: empty })
  const all = [...empty, ...moves]
  const actions = [...tellBrokenTimeouts(sight.objects.nodePool), ...actionsOf(all, sight)]
  const moved = new Set<string>(all.flatMap(({ candidates }) => candidates.map(({ claim }) => claim.name)))
  const sorted = onePerClaim(reasons.filter(({ subject }) => !moved.has(subject.name)))
  const wakes = [...judged.wakes, ...times, ...wave.wakes(), ...edgesOf(judged.weighed, sight)]
  const wakeAt = wakes.length === 0 ? undefined : epochMs(leastOf(wakes))
  return { ...defined({ actions, reasons: sorted, wakeAt, turn }), ...rememberedOf(all, sight) }
}

/** What later decisions must know about the moves. */
function rememberedOf(moves: readonly Move[], sight: Sight): Pick<Decision, 'begunMoves' | 'moveRests' | 'extraNodes'> {
  const [begun, rests, extra] = [begunMovesOf(moves, sight), moveRestsOf(moves, sight), extraNodesOf(moves, sight)]
  return {
    ...(begun.length === 0 ? {} : { begunMoves: begun }),
    ...(rests.length === 0 ? {} : { moveRests: rests }),
    ...(extra.length === 0 ? {} : { extraNodes: extra }),
  }
}

function edgesOf(weighed: readonly Weighed[], { takenAt }: Sight): readonly EpochMs[] {
  return [...new Set(weighed.map(({ pool }) => pool))].flatMap((pool) => nextEdge(pool, takenAt) ?? [])
}

/** Keeps the first of several reasons against one machine. */
function onePerClaim(reasons: readonly Reason[]): readonly Reason[] {
  const first = new Map<string, Reason>()
  for (const reason of reasons) if (!first.has(reason.subject.name)) first.set(reason.subject.name, reason)
  return [...first.values()].sort((one, other) => byText(one.subject.name, other.subject.name))
}
