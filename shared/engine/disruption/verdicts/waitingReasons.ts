/**
 * Reasons of machines that wait, in the order of their claims. In a large cluster nearly every machine waits in nearly every decision, and nearly the
 * same machines as before.
 */
import { byKey, differences, exchanged } from '../../../base/lists.ts'
import type { Reason } from '../../../model/decision.ts'
import { reasonOf } from '../candidates/candidate.ts'
import { byTurn } from './moveTurns.ts'
import type { KeptCandidate } from './verdicts.ts'

/** Machines that a decision does not try, in the order of their turns, and why: it places pods first, or their turn comes later. */
export type Waiting = { readonly because: 'placing' | 'turn'; readonly machines: readonly KeptCandidate[] }

const byClaim = byKey<Reason>(({ subject }) => subject.name)

/** Returns a function that lists the reasons of machines that wait, each claim once. */
export function createWaitingReasons(): (waiting: Waiting) => readonly Reason[] {
  const known = { placing: createKept(placesPods), turn: createKept(comesLater) }
  return ({ because, machines }) => known[because](machines)
}

function createKept(reasonFor: (machine: KeptCandidate) => Reason): (machines: readonly KeptCandidate[]) => readonly Reason[] {
  let last: readonly KeptCandidate[] = []
  let reasons: readonly Reason[] = []
  /** How many machines of each claim wait. */
  const counts = new Map<string, number>()
  const count = (machines: readonly KeptCandidate[], by: 1 | -1): void => {
    for (const { claim } of machines) counts.set(claim.name, (counts.get(claim.name) ?? 0) + by)
  }
  return (machines) => {
    const { gone, come } = differences(last, machines, byTurn)
    last = machines
    count(come, 1)
    count(gone, -1)
    const left = gone.filter(({ claim }) => counts.get(claim.name) === 0)
    for (const { claim } of left) counts.delete(claim.name)
    const [dropped, added] = [left.map(reasonFor).sort(byClaim), oncePerClaim(come.map(reasonFor).sort(byClaim))]
    reasons = exchanged(reasons, dropped, added, byClaim)
    return reasons
  }
}

/** One reason for each claim: nodes that state the same provider ID share a claim. */
function oncePerClaim(sorted: readonly Reason[]): readonly Reason[] {
  return sorted.filter((each, at) => each.subject.name !== sorted[at - 1]?.subject.name)
}

/** Reasons that hold until something changes, and those of machines that wait. Both are in the order of claims, and no claim is in both. */
type Many = { readonly lasting: readonly Reason[]; readonly waiting: readonly Reason[] }

/**
 * The reasons of `few`, the first of each claim, and the others for other claims, in the order of claims. `without`: claims that have no reason.
 */
export function mergedReasons(few: readonly Reason[], { lasting, waiting }: Many, without: ReadonlySet<string>): readonly Reason[] {
  const many = lasting.length > waiting.length ? exchanged(lasting, [], waiting, byClaim) : exchanged(waiting, [], lasting, byClaim)
  const first = new Map<string, Reason>()
  for (const reason of few) if (!without.has(reason.subject.name) && !first.has(reason.subject.name)) first.set(reason.subject.name, reason)
  const others = without.size === 0 ? many : many.filter(({ subject }) => !without.has(subject.name))
  return exchanged(others, [], [...first.values()].sort(byClaim), byClaim)
}

function placesPods({ claim }: KeptCandidate): Reason {
  return reasonOf(claim, 'DISRUPTION.PENDING', 'this decision places other pods first; running pods stay on their nodes')
}

function comesLater({ claim }: KeptCandidate): Reason {
  return reasonOf(claim, 'DISRUPTION.DEADLINE', 'the decision reached its limit of nodes to try; a later decision tries this node')
}
