/** What holds a candidate whatever else the decision does. A verdict is kept while the rules that it was found by hold. */

import { isSame } from '../../../base/isSame.ts'
import { once } from '../../../base/remembered.ts'
import type { Reason } from '../../../model/decision.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import { type CandidateWithCost, isGraced, reasonOf } from '../candidates/candidate.ts'
import type { CandidateVerdict, KeptCandidate, Rules } from '../candidates/keptCandidate.ts'
import { factsOf } from '../candidates/machineFacts.ts'
import { podBudgets } from '../candidates/podBudgets.ts'
import { type Expected, ofPodsAlone, type ProtectionInput, promisedClaims, protectionOf } from '../candidates/protection.ts'
import { isDrifted } from '../methods/drift.ts'
import { forbiddenIn, frozenBy } from '../waves/frozen.ts'

/** Returns a function that finds the rules of a snapshot. */
export function createRules(): (snapshot: FleetSnapshot) => Rules {
  let last: Rules | undefined
  return (snapshot) => {
    const forbidden = forbiddenIn(snapshot)
    const { podDisruptionBudget } = snapshot.objects
    const { calm } = snapshot.settings
    const holds = last?.forbidden === forbidden && last?.podDisruptionBudget === podDisruptionBudget && isSame(last.calm, calm)
    if (last !== undefined && holds) return last
    last = { forbidden, calm, podDisruptionBudget, budgetsOf: podBudgets(podDisruptionBudget) }
    return last
  }
}

/** Returns a function that finds the verdict on a candidate. A verdict is kept if only the candidate and the rules decide it. */
export function verdicts(rules: Rules, snapshot: FleetSnapshot, expecting: () => Expected): (candidate: KeptCandidate) => CandidateVerdict {
  const ofNow = judge(rules, { snapshot, expected: expecting, promised: promisedClaims(snapshot), budgetsOf: rules.budgetsOf })
  const apart = { snapshot: { ...snapshot, commands: [], backOffs: [] }, expected: () => NOTHING_EXPECTED, promised: NOBODY }
  const ofCandidate = judge(rules, { ...apart, budgetsOf: rules.budgetsOf })
  const concerned = once(() => concernedClaims(snapshot, expecting()))
  return (candidate) => {
    if (concerned().size > 0 && concerned().has(candidate.claim.name)) return ofNow(candidate)
    const { notes } = candidate
    if (notes.verdict?.rules === rules) return notes.verdict.verdict
    const verdict = ofCandidate(candidate)
    if (!isTimed(candidate)) notes.verdict = { rules, verdict }
    return verdict
  }
}

const NOTHING_EXPECTED: Expected = new Map()
const NOBODY: ReadonlySet<NodeClaimName> = new Set()

/** Claims whose protection may follow from pods that come, from moves under way, or from moves that failed. */
function concernedClaims(snapshot: FleetSnapshot, expected: Expected): ReadonlySet<string> {
  const { commands, backOffs } = snapshot
  const moving = commands.flatMap(({ replacements }) => replacements)
  return new Set([...promisedClaims(snapshot), ...expected.keys(), ...moving, ...backOffs.flatMap(({ claims }) => claims)])
}

/** Reports whether some pod protects the machine for a time. */
function isTimed({ machine }: KeptCandidate): boolean {
  return factsOf(machine).withDoNotDisrupt.some(({ annotations }) => annotations[ANNOTATION.doNotDisrupt] !== 'true')
}

function judge({ forbidden }: Rules, input: ProtectionInput): (candidate: KeptCandidate) => CandidateVerdict {
  const ofPods: ProtectionInput = { ...input, expected: once(ofPodsAlone(input.expected)) }
  return (candidate) => {
    const frozen = frozenBy(candidate, input.snapshot, forbidden)
    if (frozen !== undefined) return { reason: frozen, isFrozen: true, mayDrift: false }
    const isDrifting = isDrifted(candidate)
    const mayDrift = isDrifting && protectionOf(candidate, ofPods, isGraced(candidate)) === undefined
    // As in Karpenter, a buffer keeps a machine without pods. From one with pods, its room moves with them.
    const reason = protectionOf(candidate, candidate.pods.length === 0 ? input : ofPods)
    if (reason !== undefined) return { mayDrift, reason }
    const { quietAt } = candidate
    if (quietAt !== undefined) return { mayDrift, quietAt }
    return isDrifting ? { mayDrift } : { mayDrift, reason: neverQuiet(candidate) }
  }
}

function neverQuiet({ claim, pool }: CandidateWithCost): Reason {
  return reasonOf(claim, 'DISRUPTION.POLICY', `nodepool ${pool.name} never consolidates (consolidateAfter: Never)`)
}
