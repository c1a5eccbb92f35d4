/** Finds among a few machines the set that saves most if its machines go together. */
import { byText } from '../../../base/lists.ts'
import { bySavingsRatio, type CandidateWithCost } from '../candidates/candidate.ts'
import { type Consolidating, goingTogether, tryTogether } from './merging.ts'

/** Each round adds or removes one machine. */
const MOST_ROUNDS = 8

type Together = { readonly machines: readonly CandidateWithCost[]; readonly saving: number }

/**
 * A local search. It begins with the better of two sets: the machines with the best ratios of saving to cost of moving, or the machines that
 * `sparedWith` finds. Each round adds or removes the one machine that raises the saving most. The search ends when no round raises it.
 */
export function bestSet(candidates: readonly CandidateWithCost[], consolidating: Consolidating): readonly CandidateWithCost[] {
  const { wave } = consolidating
  const few = candidates
    .filter((each) => each.choice?.price !== undefined && wave.refusal([each], 'Underutilized') === undefined)
    .sort(bySavingsRatio)
  const savingOf = savingTogether(consolidating)
  let best: Together = { machines: [], saving: 0 }
  const consider = (machines: readonly CandidateWithCost[]): void => {
    const saving = savingOf(machines)
    if (saving > best.saving) best = { machines, saving }
  }
  const going = goingTogether(few, consolidating)
  for (let count = 2; count <= going.length; count++) consider(going.slice(0, count))
  consider(sparedWith(few, consolidating))
  // Stryker disable next-line EqualityOperator, UnaryOperator: a round that raises nothing is followed by rounds that raise nothing
  for (let round = 0, before = -1; round < MOST_ROUNDS && before < best.saving; round++) {
    before = best.saving
    const { machines } = best
    for (const each of few) consider(machines.includes(each) ? machines.filter((other) => other !== each) : [...machines, each])
  }
  return best.machines
}

function savingTogether(consolidating: Consolidating): (machines: readonly CandidateWithCost[]) => number {
  const known = new Map<string, number>()
  return (machines) => {
    if (machines.length < 2 || consolidating.isSpent()) return 0
    const id = machines
      .map(({ claim }) => claim.name)
      .sort(byText)
      .join(' ')
    const same = known.get(id)
    if (same !== undefined) return same
    const tried = tryTogether(machines, consolidating)
    tried?.trial.undo()
    const saving = tried?.move.saving ?? 0
    known.set(id, saving)
    return saving
  }
}

/** Machines whose pods fit on the others without a new machine, together with the machines that get these pods. */
function sparedWith(few: readonly CandidateWithCost[], { wave, relocation }: Consolidating): readonly CandidateWithCost[] {
  let spared: readonly CandidateWithCost[] = []
  let onto: ReadonlySet<string> = new Set()
  for (const each of few) {
    const more = [...spared, each]
    if (onto.has(each.machine.name) || wave.refusal(more, 'Underutilized') !== undefined) continue
    const trial = relocation().close(more.map(({ machine }) => machine))
    if (trial.unplaced().length === 0) {
      spared = more
      onto = trial.receivingMachines()
    }
    trial.undo()
  }
  return [...spared, ...few.filter(({ machine }) => onto.has(machine.name))]
}
