/** The verdicts: why a NodePool, a machine or an offering is not used for a pod. Plain data, from which Events, reasons and explanations are made. */
import { byText, largestOf, leastOf } from '../../../base/lists.ts'
import { ownValue } from '../../../base/values.ts'
import type { ObjectKey } from '../../../model/ids.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import type { AskedAgain } from '../../offering/shortSizes.ts'
import type { NodePoolOption } from '../candidates/plan.ts'
import { isWithin, type Limits, needOf } from '../model/catalog/limits.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import type { PoolRefusal } from '../model/pods/constraint.ts'
import type { Amounts, Axes } from '../model/quantities/amounts.ts'

export type Verdict =
  /** The NodePool takes no part in the decision. */
  | { readonly kind: 'pool'; readonly code: ProblemCode; readonly message: string; readonly fields?: Fields }
  /** The required node affinity of the pod matches no node. */
  | { readonly kind: 'noTerm' }
  | { readonly kind: 'taints'; readonly taints: readonly string[] }
  | { readonly kind: 'labels'; readonly whose: Whose; readonly labels: readonly string[]; readonly message: string }
  /** The NodePool admits each label alone, and no instance type has all labels. */
  | {
      readonly kind: 'sizes'
      readonly whose: 'pods' | 'volumes'
      readonly instanceTypes: number
      readonly lacking: readonly Lacking[]
      /** The volume claims of the pod. Empty unless `whose` is `volumes`. */
      readonly volumeClaims: readonly ObjectKey[]
    }
  | ({ readonly kind: 'quota'; readonly code: ProblemCode; readonly message: string } & QuotaNumbers)
  /**
   * No offering of so many instance types can be bought now. No number: one offering. `refusals`: the codes of what Azure refused, sorted.
   * `askedAgain`: absent if Azure refused nothing lately.
   */
  | {
      readonly kind: 'offering'
      readonly instanceTypes?: number
      readonly refusals?: readonly ProblemCode[]
      readonly askedAgain?: AskedAgain
    }
  | ({ readonly kind: 'amount'; readonly resource: string } & Shortfall)
  /**
   * No instance type that is allowed has the resource at all. `families`: those of the region that have it, sorted. `leftOutBy`: the requirements that
   * leave these out.
   */
  | {
      readonly kind: 'device'
      readonly resource: string
      readonly asked: number
      readonly instanceTypes: number
      readonly families: readonly string[]
      readonly leftOutBy?: readonly { readonly whose: 'pods' | 'pool'; readonly asked: string }[]
    }
  | ({ readonly kind: 'disks'; readonly driver: string } & Shortfall)
  /** For each resource some instance type is large enough. No instance type is large enough for all resources. */
  | { readonly kind: 'atOnce'; readonly instanceTypes: number }
  /** The DaemonSets of the machine request more than the machine has: of each of so many instance types, or of one machine. */
  | { readonly kind: 'daemons'; readonly instanceTypes?: number }
  | { readonly kind: 'ports'; readonly ports: readonly number[]; readonly takenBy: 'daemons' | 'pods' }
  /** DaemonSets run on the machine, and required anti-affinity keeps the pod apart from them. */
  | { readonly kind: 'daemonNeighbours'; readonly daemonSets: readonly string[] }
  | { readonly kind: 'reservation'; readonly reservation: string }
  /** `isReplacement`: `had` is what the limit leaves once the machine that is replaced is gone. */
  | {
      readonly kind: 'limit'
      readonly resource: string
      readonly asked: number
      readonly had: number
      readonly shortBy: number
      readonly isReplacement?: true
    }
  | { readonly kind: 'minValues'; readonly label: string; readonly wanted: number; readonly had: number }
  /** The API server refused a claim of the NodePool for such pods, or would refuse it. */
  | ({ readonly kind: 'claim' } & Omit<PoolRefusal, 'pool'>)
  | NeighbourVerdict
  /** Each rule allows some values of the label. No value meets all rules. */
  | { readonly kind: 'neighboursTogether'; readonly label: string; readonly rules: readonly NeighbourShare[] }
  /** Rules about neighbours leave these domains. The inner verdict refuses the pod there. */
  | { readonly kind: 'neighboursLeave'; readonly domains: readonly Domains[]; readonly verdict: Verdict }
  /** No check refuses the pod now. Other pods took the room that there was for it. */
  | { readonly kind: 'noRoom' }

/**
 * A label that instance types lack, and what is asked of it. `there`: the values that instance types have; empty if some meet this label alone.
 * `inRegion`: all values that sizes of the region have, if no size of the region has the value that is asked for.
 */
export type Lacking = {
  readonly label: string
  readonly asked: string
  readonly there: readonly string[]
  readonly inRegion?: readonly string[]
}

/** The object that asks for a label. */
export type Whose = 'pool' | 'pods' | 'volumes' | 'claim'

export type NeighbourVerdict = {
  readonly kind: 'neighbours'
  /** `repelled`: other pods have the anti-affinity. */
  readonly rule: 'spread' | 'affinity' | 'antiAffinity' | 'repelled'
  readonly label: string
  /** The pods that the rule selects, in words. */
  readonly about: string
  /** Undefined unless the rule is a spread. */
  readonly maxSkew?: number
  /** Of a spread that asks for more than one domain. With fewer domains the least count is 0. */
  readonly minDomains?: number
  /** The domains that the rule refuses. Empty: no machine has the label. */
  readonly domains: readonly string[]
  /** Of a rule over host names: the domain is a new machine, which has no name yet. */
  readonly isNewMachine?: true
  /** How many pods count in each domain; a spread lists empty domains, too. For `repelled`: pods that have the anti-affinity. */
  readonly counts: readonly (readonly [domain: string, count: number])[]
  /** Existing nodes that the rule allows, and why they refuse the pod. */
  readonly left?: readonly MachineVerdict[]
}

/** An existing node, and why it does not take the pod. */
export type MachineVerdict = { readonly machine: string; readonly verdict: Verdict }

type NeighbourShare = { readonly rule: NeighbourVerdict['rule']; readonly about: string; readonly domains: readonly string[] }

type Domains = { readonly label: string; readonly values: readonly string[] }

type Shortfall = {
  readonly asked: number
  readonly had: number
  readonly shortBy: number
  /** `had` is of the largest of so many instance types. Undefined: of one machine. */
  readonly instanceTypes?: number
}

type QuotaNumbers = { readonly quota: string; readonly region: string; readonly limit: number; readonly used: number }

export type Fields = { readonly [name: string]: string | number | boolean }

/** Names the resource that the machine with the most of it has too little of. Resources come first, by name, and attachable volumes after them. */
export function tooSmall(
  machines: readonly { readonly free: Amounts }[],
  asks: Amounts,
  { names, drivers }: Axes,
): Extract<Verdict, { readonly kind: 'amount' | 'disks' | 'atOnce' }> {
  const missing = [...names, ...drivers].flatMap((name, axis) => {
    const asked = asks[axis] ?? 0
    if (asked === 0) return []
    const had = largestOf(
      machines.map(({ free }) => free[axis] ?? 0),
      0,
    )
    return asked > had ? [{ name, asked, had, shortBy: asked - had, isDriver: axis >= names.length }] : []
  })
  const [first] = missing.sort((one, other) => Number(one.isDriver) - Number(other.isDriver) || byText(one.name, other.name))
  if (first === undefined) return { kind: 'atOnce', instanceTypes: machines.length }
  const { name, asked, had, shortBy, isDriver } = first
  return isDriver ? { kind: 'disks', driver: name, asked, had, shortBy } : { kind: 'amount', resource: name, asked, had, shortBy }
}

/** The reservation that has no capacity left, or the limit of the NodePool that a machine of each of these instance types exceeds. */
export function overLimit(
  sizes: readonly InstanceTypeOption[],
  { limits, reservation }: Pick<NodePoolOption, 'reservation'> & { readonly limits: Pick<Limits, 'left'> },
): Verdict {
  if (reservation !== undefined && !isWithin({}, reservation.limits.left)) return { kind: 'reservation', reservation: reservation.id }
  const left = limits.left ?? {}
  const names = Object.keys(left).sort()
  const resource =
    names.find((each) => sizes.every((size) => needOf(size.type.capacity, each) > (ownValue(left, each) ?? 0))) ?? names[0] ?? 'cpu'
  const asked = leastOf(sizes.map((size) => needOf(size.type.capacity, resource)))
  const had = ownValue(left, resource) ?? 0
  return { kind: 'limit', resource, asked, had, shortBy: asked - had }
}
