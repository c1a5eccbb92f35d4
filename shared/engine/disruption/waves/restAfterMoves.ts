/** The rest after a move: what took part in it is not consolidated for a while. Empty machines go all the same, since that moves no pod. */
import { largestOf } from '../../../base/lists.ts'
import type { Reason } from '../../../model/decision.ts'
import type { MoveRest } from '../../../model/disruptionCommand.ts'
import type { NodeClaimName, Uid } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import { type CandidateWithCost, reasonOf } from '../candidates/candidate.ts'
import { markOfSet } from '../candidates/marks.ts'
import { isUnderWay } from '../commands/moveRests.ts'
import type { Move } from '../moves/move.ts'
import type { MoveRule } from '../moves/moveRule.ts'
import { calmSetting } from './calm.ts'

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
      if (isMoving) return reasonOf(machine.claim, 'DISRUPTION.CALM', `${what} a move that is under way (${NAMES})`)
      wakes.add(rest.until)
      const seconds = Math.ceil((rest.until - takenAt) / 1000)
      return reasonOf(machine.claim, 'DISRUPTION.CALM', `${what} a move a short while ago (${NAMES}); ${seconds} s are left`, { seconds })
    }
    return undefined
  }

  function ofThisDecision({ claim, pods }: CandidateWithCost): Reason | undefined {
    const pod = moving.size === 0 ? undefined : pods.find(({ owner }) => owner !== undefined && moving.has(owner.uid))
    if (pod === undefined) return undefined
    return reasonOf(claim, 'DISRUPTION.CALM', `pod ${pod.key} of it belongs to a workload with pods in a move that begins now (${NAMES})`)
  }

  return {
    holdsNone: (_pool, reason) => reason === 'Drifted' || (rests.length === 0 && moving.size === 0),
    refusal({ candidates, reason }) {
      if (reason === 'Drifted') return undefined
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

const NAMES = 'REST_AFTER_MOVE, joiner.dev/rest-after-move'

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
