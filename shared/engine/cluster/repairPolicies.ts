/** Repair policies that match the conditions of a node, and the one repair that follows from them, by Karpenter's rules. */
import { once } from '../../base/caches.ts'
import { byText, inOrder, largestOf, leastOf } from '../../base/lists.ts'
import { assertNever } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import type { DecisionSettings } from '../../model/clusterSnapshot.ts'
import type { Condition } from '../../model/condition.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { DEFAULT_REPAIR_POLICIES, type RepairAction, type RepairPolicy, type ResolvedRepair } from '../../model/repairPolicy.ts'
import { type EpochMs, epochMs, later } from '../../model/units.ts'

/** A policy that matches a condition of a node, and from when it asks for a repair. */
export type PolicyMatch = { readonly policy: RepairPolicy; readonly condition: Condition; readonly eligibleAt: EpochMs }

export interface RepairMatcher {
  /** Reports whether the node has a condition that some policy names. The reason and the age of the condition do not count. */
  isSick(node: Node): boolean
  /** `notBefore`: the end of the last reboot of the node. Each toleration begins then, at the earliest. */
  matchesOf(node: Node, notBefore: EpochMs): readonly PolicyMatch[]
  /** Undefined if no match asks for a repair yet. */
  resolve(matches: readonly PolicyMatch[], now: EpochMs): ResolvedRepair | undefined
  /** When the next of the matches asks for a repair. Undefined if all do. */
  nextAt(matches: readonly PolicyMatch[], now: EpochMs): EpochMs | undefined
}

/** Waiting for so long is worth one step of priority. */
const STEP_MS = 30 * 60_000
/** A reason is a word. The rest of a longer one is not matched, since any agent on the node may write it. */
const LONGEST_REASON = 256

type Pattern = { readonly policy: RepairPolicy; readonly regex: RegExp }

/** `policies`: a valid set. */
export function createRepairMatcher(policies: readonly RepairPolicy[]): RepairMatcher {
  const groups = Map.groupBy(policies, ({ conditionType, conditionStatus }) => `${conditionType}=${conditionStatus}`)
  const patterns = new Map([...groups].map(([key, own]) => [key, own.flatMap(patternOf)]))
  const fallback = policies.find(({ reasonRegex }) => reasonRegex === undefined)
  const levels = [...new Set(policies.map(({ priority }) => priority))].sort((first, second) => first - second)
  const patternsOf = ({ type, status }: Condition): readonly Pattern[] | undefined => patterns.get(`${type}=${status}`)

  function policiesFor(condition: Condition): readonly RepairPolicy[] {
    const own = patternsOf(condition)
    if (own === undefined) return []
    const reason = condition.reason.slice(0, LONGEST_REASON)
    const specific = own.filter(({ regex }) => regex.test(reason)).map(({ policy }) => policy)
    return specific.length > 0 || fallback === undefined ? specific : [fallback]
  }

  const scoreOf = ({ policy, eligibleAt }: PolicyMatch, now: EpochMs): number =>
    levels.indexOf(policy.priority) + (now - eligibleAt) / STEP_MS

  return {
    isSick: ({ conditions }) => conditions.some((condition) => patternsOf(condition) !== undefined),
    matchesOf: ({ conditions, meta }, notBefore) =>
      conditions.flatMap((condition) =>
        policiesFor(condition).map((policy): PolicyMatch => {
          const since = epochMs(Math.max(condition.lastTransitionAt, meta.createdAt, notBefore))
          return { policy, condition, eligibleAt: later(since, policy.tolerationDuration) }
        }),
      ),
    resolve(matches, now) {
      const eligible = matches.filter(({ eligibleAt }) => eligibleAt <= now)
      const [governing] = eligible.toSorted(mostDisruptive)
      if (governing === undefined) return undefined
      const { condition, eligibleAt, policy } = governing
      const [bound] = eligible.filter(({ policy: { terminationGracePeriod } }) => terminationGracePeriod !== undefined).sort(shortestBound)
      return defined({
        action: policy.action,
        condition,
        eligibleAt,
        terminationGracePeriod: bound?.policy.terminationGracePeriod,
        boundBy: bound?.condition.type,
        score: largestOf(eligible.map((match) => scoreOf(match, now))),
      })
    },
    nextAt(matches, now) {
      const coming = matches.filter(({ eligibleAt }) => eligibleAt > now)
      return coming.length === 0 ? undefined : epochMs(leastOf(coming.map(({ eligibleAt }) => eligibleAt)))
    },
  }
}

/** Reports whether a person forbids the repair. */
export function isVetoed({ meta }: Node): boolean {
  return meta.annotations[ANNOTATION.doNotRepair] === 'true'
}

/** Returns a function that reports whether the node is sick, and may be repaired. */
export function repairableNodes({ repairPolicies }: Pick<DecisionSettings, 'repairPolicies'>): (node: Node) => boolean {
  const matcher = once(() => createRepairMatcher(repairPolicies ?? DEFAULT_REPAIR_POLICIES))
  return (node) => matcher().isSick(node) && !isVetoed(node)
}

function patternOf(policy: RepairPolicy): readonly Pattern[] {
  return policy.reasonRegex === undefined ? [] : [{ policy, regex: new RegExp(policy.reasonRegex) }]
}

function disruptiveness(action: RepairAction): number {
  switch (action) {
    case 'RebootNode':
      return 1
    case 'ReplaceNode':
      return 2
    default:
      return assertNever(action)
  }
}

const firstEligible = inOrder<PolicyMatch>(
  (first, second) => first.eligibleAt - second.eligibleAt,
  (first, second) => byText(first.condition.type, second.condition.type),
)

const mostDisruptive = inOrder<PolicyMatch>(
  (first, second) => disruptiveness(second.policy.action) - disruptiveness(first.policy.action),
  (first, second) => second.policy.priority - first.policy.priority,
  firstEligible,
)

const shortestBound = inOrder<PolicyMatch>(
  (first, second) => (first.policy.terminationGracePeriod ?? 0) - (second.policy.terminationGracePeriod ?? 0),
  firstEligible,
)
