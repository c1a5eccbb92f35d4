/**
 * Reasons of machines that wait, in the order of their claims. In a large cluster nearly every machine waits in nearly every decision, and nearly the
 * same machines as before.
 */
import { byKey, differences, exchanged } from '../../../base/lists.ts'
import type { Reason } from '../../../model/decision.ts'
import { reasonOf } from '../candidates/candidate.ts'
import { byTurn } from './moveTurns.ts'
import type { KeptCandidate } from './verdicts.ts'

/** Machines that a decision does not try, and why: it places pods first, or their turn comes later. */
export type Waiting = {
  readonly because: 'placing' | 'turn'
  /** These machines and a few others, in the order of their turns. The list stays the same from one decision to the next while no machine changes. */
  readonly among: readonly KeptCandidate[]
  /** The machines of `among` that do not wait. Undefined: all wait. */
  readonly without?: ReadonlySet<KeptCandidate>
}

/** Reasons in the order of claims. Those of the claims in `but` do not count. So a list of many reasons is copied once, with all that is exchanged in it. */
export type WaitingReasons = { readonly all: readonly Reason[]; readonly but: readonly Reason[] }

const byClaim = byKey<Reason>(({ subject }) => subject.name)

/** Returns a function that lists the reasons of machines that wait, each claim once. */
export function createWaitingReasons(): (waiting: Waiting) => WaitingReasons {
  const known = { placing: createKept(placesPods), turn: createKept(comesLater) }
  return ({ because, among, without = NOBODY }) => known[because](among, without)
}

const NOBODY: ReadonlySet<KeptCandidate> = new Set()

type OfWaiting = (among: readonly KeptCandidate[], without: ReadonlySet<KeptCandidate>) => WaitingReasons

function createKept(reasonFor: (machine: KeptCandidate) => Reason): OfWaiting {
  let last: readonly KeptCandidate[] = []
  let reasons: readonly Reason[] = []
  /** The number of machines of each claim. */
  const counts = new Map<string, number>()
  const count = (machines: readonly KeptCandidate[], by: 1 | -1): void => {
    for (const { claim } of machines) counts.set(claim.name, (counts.get(claim.name) ?? 0) + by)
  }
  /** The claims of which no machine waits. */
  function notWaiting(without: ReadonlySet<KeptCandidate>): readonly Reason[] {
    const byName = Map.groupBy(without, ({ claim }) => claim.name)
    const all = [...byName].flatMap(([name, own]) => (counts.get(name) === own.length ? own.slice(0, 1).map(reasonFor) : []))
    return all.sort(byClaim)
  }

  return (among, without) => {
    const { gone, come } = differences(last, among, byTurn)
    last = among
    count(come, 1)
    count(gone, -1)
    const left = gone.filter(({ claim }) => counts.get(claim.name) === 0)
    for (const { claim } of left) counts.delete(claim.name)
    const [dropped, added] = [left.map(reasonFor).sort(byClaim), oncePerClaim(come.map(reasonFor).sort(byClaim))]
    reasons = exchanged(reasons, dropped, added, byClaim)
    return { all: reasons, but: notWaiting(without) }
  }
}

/** One reason for each claim: nodes that state the same provider ID share a claim. */
function oncePerClaim(sorted: readonly Reason[]): readonly Reason[] {
  return sorted.filter((each, at) => each.subject.name !== sorted[at - 1]?.subject.name)
}

/** Reasons that hold until something changes, and those of machines that wait. Both are in the order of claims, and no claim is in both. */
type Many = { readonly lasting: readonly Reason[]; readonly waiting: WaitingReasons }

/**
 * The reasons of `few`, the first of each claim, and the others for other claims, in the order of claims. `without`: claims that have no reason.
 */
export function mergedReasons(few: readonly Reason[], { lasting, waiting }: Many, without: ReadonlySet<string>): readonly Reason[] {
  const first = new Map<string, Reason>()
  for (const reason of few) if (!without.has(reason.subject.name) && !first.has(reason.subject.name)) first.set(reason.subject.name, reason)
  const own = [...first.values()].sort(byClaim)
  const { all, but } = waiting
  const many =
    lasting.length > all.length
      ? exchanged(lasting, [], exchanged(exchanged(all, but, [], byClaim), [], own, byClaim), byClaim)
      : exchanged(all, but, exchanged(lasting, [], own, byClaim), byClaim)
  // Claims that go have no reason in `own`.
  return without.size === 0 ? many : many.filter(({ subject }) => !without.has(subject.name))
}

function placesPods({ claim }: KeptCandidate): Reason {
  return reasonOf(claim, 'DISRUPTION.PENDING', 'this decision places other pods first; running pods stay on their nodes')
}

function comesLater({ claim }: KeptCandidate): Reason {
  return reasonOf(claim, 'DISRUPTION.DEADLINE', 'the decision reached its limit of nodes to try; a later decision tries this node')
}
