import { byKey, type Order } from '../../base/lists.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import type { Relocatable } from '../scheduling/relocation/relocationProblem.ts'
import { bySavingsRatio, type CandidateWithCost, isGraced } from './candidates/candidate.ts'
import { isDrifted } from './methods/drift.ts'
import type { IdleMachines } from './methods/emptiness.ts'
import type { KeptCandidate } from './verdicts/verdicts.ts'
import type { Wave } from './waves/wave.ts'

type Known = {
  /** Machines that wait to be quiet. A new pod would begin this wait anew. */
  readonly restless: readonly KeptCandidate[]
  readonly snapshot: FleetSnapshot
  readonly wave: Wave
  readonly idle: IdleMachines
  /** The order in which machines go. Undefined: by their savings ratios. */
  readonly order?: Order<CandidateWithCost> | undefined
  /** Of the machines that may go, only these take pods. Undefined: all of them do. */
  readonly takers?: ReadonlySet<CandidateWithCost> | undefined
}

/** The machines to close, and the places for their pods: first machines that stay in any case, then machines that would go next, then idle machines. */
export function relocatable(
  machines: readonly KeptCandidate[],
  candidates: readonly KeptCandidate[],
  { restless, snapshot, wave, idle, order = bySavingsRatio, takers }: Known,
): Relocatable {
  const mayGo = new Set(candidates.map(({ machine }) => machine))
  const waiting = new Set(restless.map(({ machine }) => machine))
  const mayTake = (machine: StateNode): boolean => !wave.hasTaken(machine) && !waiting.has(machine) && mayTakePods(machine)
  const staying: StateNode[] = []
  for (const machine of snapshot.fleet.all()) if (!mayGo.has(machine) && mayTake(machine)) staying.push(machine)
  staying.sort(byKey(({ name }) => name))
  const others = candidates
    .filter((each) => mayTake(each.machine) && takers?.has(each) !== false)
    .sort((first, second) => order(second, first))
  const isIdle = ({ name }: StateNode): boolean => idle.has(name)
  const withHeldPods = machines.filter((each) => isDrifted(each) && isGraced(each)).map(({ machine }) => machine)
  return {
    machines: machines.map(({ machine }) => machine),
    withHeldPods,
    places: [...staying.filter((each) => !isIdle(each)), ...others.map(({ machine }) => machine), ...staying.filter(isIdle)],
  }
}

/** Reports whether pods may move to the machine: it is up, and stays. */
function mayTakePods({ node, isInitialized, isDeleting }: StateNode): boolean {
  return node !== undefined && isInitialized && !isDeleting
}
