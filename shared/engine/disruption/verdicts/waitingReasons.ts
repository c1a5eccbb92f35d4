/**
 * Reasons of machines that wait, in the order of their claims. In a large cluster nearly every machine waits in nearly every decision, and nearly the
 * same machines as before.
 */
import { byKey, exchanged } from '../../../base/lists.ts'
import type { Reason } from '../../../model/decision.ts'
import { reasonOf } from '../candidates/candidate.ts'
import type { KeptCandidate } from './verdicts.ts'

/** Machines that a decision does not try, and why: it places pods first, or their turn comes later. */
export type Waiting = { readonly because: 'placing' | 'turn'; readonly machines: readonly KeptCandidate[] }

const byClaim = byKey<Reason>(({ subject }) => subject.name)

/** With more machines that came or went since the last call, all are sorted. */
const FEW = 1_024

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
    const [gone, come] = differingParts(last, machines)
    last = machines
    count(come, 1)
    count(gone, -1)
    const left = gone.filter(({ claim }) => counts.get(claim.name) === 0)
    for (const { claim } of left) counts.delete(claim.name)
    const [dropped, added] = [left.map(reasonFor).sort(byClaim), oncePerClaim(come.map(reasonFor).sort(byClaim))]
    if (gone.length + come.length > FEW) reasons = oncePerClaim(machines.map(reasonFor).sort(byClaim))
    else if (gone.length + come.length > 0) reasons = exchanged(reasons, dropped, added, byClaim)
    return reasons
  }
}

/** One reason for each claim: nodes that state the same provider ID share a claim. */
function oncePerClaim(sorted: readonly Reason[]): readonly Reason[] {
  return sorted.filter((each, at) => each.subject.name !== sorted[at - 1]?.subject.name)
}

/**
 * The reasons of `few`, the first of each claim, and those of `many` for other claims, in the order of claims. `without`: claims that have no reason.
 */
export function mergedReasons(few: readonly Reason[], many: readonly Reason[], without: ReadonlySet<string>): readonly Reason[] {
  const first = new Map<string, Reason>()
  for (const reason of few) if (!without.has(reason.subject.name) && !first.has(reason.subject.name)) first.set(reason.subject.name, reason)
  const others = without.size === 0 ? many : many.filter(({ subject }) => !without.has(subject.name))
  return exchanged(others, [], [...first.values()].sort(byClaim), byClaim)
}

/** The parts of both lists between what they have in common at their beginnings and at their ends. */
export function differingParts<Item>(first: readonly Item[], second: readonly Item[]): readonly [readonly Item[], readonly Item[]] {
  const shorter = Math.min(first.length, second.length)
  let from = 0
  while (from < shorter && first[from] === second[from]) from++
  let same = 0
  while (same < shorter - from && first[first.length - 1 - same] === second[second.length - 1 - same]) same++
  return [first.slice(from, first.length - same), second.slice(from, second.length - same)]
}

function placesPods({ claim }: KeptCandidate): Reason {
  return reasonOf(claim, 'DISRUPTION.PENDING', 'this decision places pending pods; running pods stay on their nodes')
}

function comesLater({ claim }: KeptCandidate): Reason {
  return reasonOf(claim, 'DISRUPTION.DEADLINE', 'the decision reached its limit of nodes to try; a later decision tries this node')
}
