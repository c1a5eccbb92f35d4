import type { Operator, RequirementSpec } from '../../shared/model/requirements.ts'
import type { Resources } from '../../shared/model/resources.ts'
import { type MicroUsdPerHour, usdPerHour } from '../../shared/model/units.ts'
import { amountsOf } from './amountsOf.ts'

export type PeerAnswer = {
  /** Maps the key of each refused pod to the reason in words. Only the keys are compared. */
  readonly unschedulable: ReadonlyMap<string, string>
  /** Maps the name of a node to the keys of the pods placed on it, in order. */
  readonly existing: ReadonlyMap<string, readonly string[]>
  readonly claims: readonly PeerClaim[]
  readonly price: MicroUsdPerHour
}

export type PeerClaim = {
  readonly nodePool: string
  readonly pods: readonly string[]
  /** Sorted by key. A key with two bounds has two entries. */
  readonly requirements: readonly RequirementSpec[]
  readonly requests: Resources
  /** Sorted by price, the cheapest first. */
  readonly instanceTypes: readonly string[]
  readonly cheapest?: {
    readonly type: string
    readonly zone: string
    readonly capacityType: string
    readonly price: MicroUsdPerHour
  }
}

type RawRequirement = { readonly operator: Operator; readonly values?: readonly string[]; readonly minValues?: number }

export type RawAnswer = {
  readonly unschedulable?: { readonly [pod: string]: string }
  readonly existing?: { readonly [node: string]: readonly string[] }
  readonly claims?: readonly {
    readonly nodePool: string
    readonly pods: readonly string[]
    readonly requirements: { readonly [key: string]: RawRequirement | readonly RawRequirement[] }
    readonly requests: { readonly [resource: string]: string }
    readonly instanceTypeOptions: readonly string[]
    readonly cheapest?: { readonly type: string; readonly zone: string; readonly capacityType: string; readonly price: number }
  }[]
  readonly totalCheapestPrice: number
}

export function peerAnswerOf(raw: RawAnswer): PeerAnswer {
  return {
    unschedulable: new Map(Object.entries(raw.unschedulable ?? {})),
    existing: new Map(Object.entries(raw.existing ?? {})),
    claims: (raw.claims ?? []).map((claim) => ({
      nodePool: claim.nodePool,
      pods: claim.pods,
      requirements: specsOf(claim.requirements),
      requests: amountsOf(claim.requests),
      instanceTypes: claim.instanceTypeOptions,
      ...(claim.cheapest === undefined ? {} : { cheapest: { ...claim.cheapest, price: usdPerHour(claim.cheapest.price) } }),
    })),
    price: usdPerHour(raw.totalCheapestPrice),
  }
}

function specsOf(requirements: NonNullable<RawAnswer['claims']>[number]['requirements']): readonly RequirementSpec[] {
  return Object.entries(requirements)
    .sort(([first], [second]) => (first < second ? -1 : 1))
    .flatMap(([key, entries]) =>
      [entries]
        .flat()
        .map(({ operator, values = [], minValues }) => ({ key, operator, values, ...(minValues === undefined ? {} : { minValues }) })),
    )
}
