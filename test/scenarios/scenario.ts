import type { Decision } from '../../shared/model/decision.ts'
import type { ProblemCode } from '../../shared/model/problem.ts'
import type { SnapshotShape } from '../builders/snapshot.ts'

/** One situation and what must be decided. A member that is absent is not looked at; nobody is refused unless named. */
export type Scenario = {
  readonly given: SnapshotShape
  /** New claims. */
  readonly wantClaims?: number
  /** Sizes chosen, sorted. */
  readonly wantSizes?: readonly string[]
  /** Zones every new claim allows, sorted. */
  readonly wantZones?: readonly string[]
  readonly wantCapacityType?: string
  /** Pools of the new claims, sorted. */
  readonly wantPools?: readonly string[]
  readonly wantLabels?: { readonly [key: string]: string }
  /** Existing claims and drafts that pods are promised to, by pod name. */
  readonly wantPromised?: { readonly [pod: string]: string }
  /** Code by pod name. */
  readonly wantRefused?: { readonly [pod: string]: ProblemCode }
  /** Part of a refusal's message. */
  readonly wantMessage?: string
}

export type Scenarios = { readonly [sentence: string]: Scenario }

/** What a decision came to, in the words of a scenario. */
export function outcomeOf(decision: Decision): Required<Omit<Scenario, 'given'>> {
  const claims = decision.actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
  const made = new Set<string>(claims.map((claim) => claim.draft.name))
  const promised = decision.actions.flatMap((action) =>
    action.kind === 'nominate' && !made.has(action.claim) ? [[shortName(action.pod.key), action.claim] as const] : [],
  )
  const zones = claims.flatMap(
    (claim) => claim.draft.spec.requirements.find((each) => each.key === 'topology.kubernetes.io/zone')?.values ?? [],
  )
  return {
    wantClaims: claims.length,
    wantSizes: claims.map((claim) => claim.choice.size).sort(),
    wantZones: [...new Set(zones)].sort(),
    wantCapacityType: [...new Set(claims.map((claim) => claim.choice.capacityType))].join(' '),
    wantPools: claims.map((claim) => claim.draft.nodePool).sort(),
    wantLabels: Object.assign({}, ...claims.map((claim) => claim.draft.labels)),
    wantPromised: Object.fromEntries(promised),
    wantRefused: Object.fromEntries(decision.reasons.map((reason) => [shortName(reason.subject.name), reason.code])),
    wantMessage: decision.reasons.map((reason) => reason.message).join('\n'),
  }
}

function shortName(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}
