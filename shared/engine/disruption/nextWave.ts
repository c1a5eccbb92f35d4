/** The machines that go next, once budgets let more machines go. */
import { LABEL } from '../../model/labels.ts'
import type { DisruptionReason } from '../../model/nodePool.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import type { Relocatable } from '../scheduling/relocation/relocationProblem.ts'
import { reasonOf } from './candidates/candidate.ts'
import { moveNode } from './methods/consolidation.ts'
import { isDrifted, replaceDrifted } from './methods/drift.ts'
import type { IdleMachines } from './methods/emptiness.ts'
import type { Consolidating } from './methods/merging.ts'
import { relocatable } from './relocatable.ts'
import { turnsAfter } from './verdicts/moveTurns.ts'
import type { KeptCandidate } from './verdicts/verdicts.ts'
import type { Wave } from './waves/wave.ts'

/** How many machines are tried for each machine that may be named. A machine that a budget holds may have no move at all. */
const TRIED_FOR_ONE = 2

export type NextWave = {
  readonly machines: readonly KeptCandidate[]
  /** False if machines that were named earlier were not all looked at. */
  readonly isWhole: boolean
}

export type LookFurther = {
  /** Machines that no rule holds but budgets: empty machines, in the order in which they are named, then others in the order of their turns. */
  readonly movable: readonly KeptCandidate[]
  /** Machines that wait to be quiet. */
  readonly restless: readonly KeptCandidate[]
  readonly snapshot: FleetSnapshot
  readonly wave: Wave
  readonly idle: IdleMachines
  /** The names of claims whose machines are named already. They come first, so that names change seldom. */
  readonly named: ReadonlySet<string>
  /** The plan of moves that begin now, and the machines that it can move. Undefined if no moves begin. */
  readonly begun: { readonly tried: ReadonlySet<KeptCandidate>; readonly consolidating: Consolidating } | undefined
  /** Begins a plan for these machines. */
  readonly consolidatingFor: (machines: Relocatable) => Consolidating
}

/**
 * The machines that go next: empty machines, drifted machines, and machines that have a move as things will be. No machine is named that gets pods of
 * another one.
 */
export function nextWave(look: LookFurther): NextWave {
  const { movable, snapshot, wave, named, begun } = look
  const most = snapshot.settings.mostPlannedTaints ?? 0
  if (most === 0) return { machines: [], isWhole: true }
  const isNamed = ({ claim }: KeptCandidate): boolean => named.has(claim.name)
  const waiting = movable.filter((each) => mayBeTainted(each) && waits(each, wave))
  const empty = inOrder(
    waiting.filter(({ pods }) => pods.length === 0),
    isNamed,
  ).slice(0, most)
  const busy = waiting.filter(({ pods }) => pods.length > 0)
  const closable = busy.filter((each) => begun?.tried.has(each) !== false)
  // Named machines that the plan cannot move now keep their part of the number.
  const left = most - empty.length - busy.filter((each) => isNamed(each) && !closable.includes(each)).length
  if (left <= 0 || closable.length === 0) return { machines: empty, isWhole: begun === undefined }
  const tried = inOrder(turnsAfter(undefined, closable).now, isNamed).slice(0, TRIED_FOR_ONE * left)
  const consolidating = begun?.consolidating ?? look.consolidatingFor(relocatable(tried, busy, { ...look, wave: taking(empty, wave) }))
  return { machines: [...empty, ...moving(tried, left, consolidating)], isWhole: begun === undefined }
}

/** Reports whether only a budget holds the machine, and no pods go there. */
function waits(each: KeptCandidate, wave: Wave): boolean {
  return !wave.hasTaken(each.machine) && !wave.receives(each.machine) && wave.waits(each, reasonFor(each))
}

function inOrder(machines: readonly KeptCandidate[], isFirst: (each: KeptCandidate) => boolean): readonly KeptCandidate[] {
  return [...machines.filter(isFirst), ...machines.filter((each) => !isFirst(each))]
}

/** The wave with these machines taken: they are no places for pods. */
function taking(machines: readonly KeptCandidate[], wave: Wave): Wave {
  const taken = new Set(machines.map(({ machine }) => machine))
  return { ...wave, hasTaken: (machine) => taken.has(machine) || wave.hasTaken(machine) }
}

function reasonFor(machine: KeptCandidate): DisruptionReason {
  if (isDrifted(machine)) return 'Drifted'
  return machine.pods.length === 0 ? 'Empty' : 'Underutilized'
}

/** Reports whether Joiner may add taints to the node. With this label somebody else manages them. */
function mayBeTainted({ node }: KeptCandidate): boolean {
  return node.meta.labels[LABEL.doNotSyncTaints] !== 'true'
}

function moving(tried: readonly KeptCandidate[], most: number, consolidating: Consolidating): readonly KeptCandidate[] {
  const onPaper = { ...consolidating, wave: withoutBudgets(consolidating.wave), refuse: () => undefined }
  const { relocation, wave, refuse } = onPaper
  const found: KeptCandidate[] = []
  for (const each of tried) {
    if (found.length === most || onPaper.isSpent()) break
    const goes = isDrifted(each) ? replaceDrifted([each], relocation, wave, refuse).length > 0 : moveNode(each, onPaper) !== undefined
    if (goes) found.push(each)
  }
  return found
}

/** A wave in which only the machines that get pods must stay. It takes nothing of the budgets of this decision. */
function withoutBudgets(wave: Wave): Wave {
  const filled = new Set<string>()
  return {
    ...wave,
    overBudget: () => undefined,
    tooMany: () => undefined,
    refusal(machines) {
      const busy = machines.find(({ machine }) => filled.has(machine.name) || wave.receives(machine))
      return busy === undefined ? undefined : reasonOf(busy.claim, 'DISRUPTION.WAVE', 'it receives pods of nodes that are disrupted next')
    },
    take: () => undefined,
    fill(names) {
      for (const name of names) filled.add(name)
    },
  }
}
