/** Why something is not used for a pod: one closed list, as plain data with the numbers. Events, reasons and explanations all come of it. */
import type { ObjectKey } from '../../../model/ids.ts'
import type { ProblemCode } from '../../../model/problem.ts'

export type Verdict =
  /** The pool takes no part at all. */
  | { readonly kind: 'pool'; readonly code: ProblemCode; readonly message: string; readonly fields?: Fields }
  /** The pod's required node affinity matches nothing. */
  | { readonly kind: 'noTerm' }
  | { readonly kind: 'taints'; readonly taints: readonly string[] }
  | { readonly kind: 'labels'; readonly whose: Whose; readonly labels: readonly string[]; readonly message: string }
  /** The pool allows each label, and no size has them all. */
  | {
      readonly kind: 'sizes'
      readonly whose: 'pods' | 'volumes'
      readonly instanceTypes: number
      readonly lacking: readonly Lacking[]
      /** Of the pod, where it is about volumes. */
      readonly volumeClaims: readonly ObjectKey[]
    }
  | ({ readonly kind: 'quota'; readonly code: ProblemCode; readonly message: string } & QuotaNumbers)
  /** None of so many sizes is for sale; absent: one size in one place is not. `refusals`: what Azure refused them for, sorted. */
  | { readonly kind: 'offering'; readonly instanceTypes?: number; readonly refusals?: readonly ProblemCode[] }
  | ({ readonly kind: 'amount'; readonly resource: string } & Shortfall)
  | ({ readonly kind: 'disks'; readonly driver: string } & Shortfall)
  /** Enough of each resource somewhere, nowhere of all. */
  | { readonly kind: 'atOnce'; readonly instanceTypes: number }
  /** The daemons of each of so many sizes, or of the one size that it is about, alone take more than it has. */
  | { readonly kind: 'daemons'; readonly instanceTypes?: number }
  | { readonly kind: 'ports'; readonly ports: readonly number[]; readonly takenBy: 'daemons' | 'pods' }
  /** DaemonSets that it keeps away from, or that keep away from it, run on it. */
  | { readonly kind: 'daemonNeighbours'; readonly daemonSets: readonly string[] }
  | { readonly kind: 'reservation'; readonly reservation: string }
  | { readonly kind: 'limit'; readonly resource: string; readonly asked: number; readonly had: number; readonly shortBy: number }
  | { readonly kind: 'minValues'; readonly label: string; readonly wanted: number; readonly had: number }
  | NeighbourVerdict
  /** Each rule leaves something of the label, and all of them together leave nothing. */
  | { readonly kind: 'neighboursTogether'; readonly label: string; readonly rules: readonly NeighbourShare[] }
  /** What rules about neighbours leave, and what is in the way there. */
  | { readonly kind: 'neighboursLeave'; readonly domains: readonly Domains[]; readonly verdict: Verdict }
  /** Nothing stands in its way any more: what was in the way went to others. */
  | { readonly kind: 'noRoom' }

/** A label that sizes lack, what is asked of it, and the values that sizes have. None: some have what is asked, but not with the rest. */
export type Lacking = { readonly label: string; readonly asked: string; readonly there: readonly string[] }

/** Whose wish a label is. */
export type Whose = 'pool' | 'pods' | 'volumes' | 'claim'

export type NeighbourVerdict = {
  readonly kind: 'neighbours'
  /** `repelled`: the anti-affinity is that of others. */
  readonly rule: 'spread' | 'affinity' | 'antiAffinity' | 'repelled'
  readonly label: string
  /** The pods that the rule is about, in words. */
  readonly about: string
  /** Spread only. */
  readonly maxSkew?: number
  /** Of a spread that asks for more than one domain: with fewer than that the least count is 0. */
  readonly minDomains?: number
  /** Where it may not go; none: nothing has that label. */
  readonly domains: readonly string[]
  /** Among host names: it is about a machine to be made, which has no name yet. */
  readonly isNewMachine?: true
  /** Pods that count, by domain, of a spread also domains that have none; those that keep others away, where it is theirs. */
  readonly counts: readonly (readonly [domain: string, count: number])[]
  /** Machines that the rule leaves the pod, and why they refuse it. */
  readonly left?: readonly MachineVerdict[]
}

/** A machine that is there or on its way, and why it does not take the pod. */
export type MachineVerdict = { readonly machine: string; readonly verdict: Verdict }

type NeighbourShare = { readonly rule: NeighbourVerdict['rule']; readonly about: string; readonly domains: readonly string[] }

type Domains = { readonly label: string; readonly values: readonly string[] }

type Shortfall = {
  readonly asked: number
  readonly had: number
  readonly shortBy: number
  /** Of so many sizes the largest. Absent: of one machine. */
  readonly instanceTypes?: number
}

type QuotaNumbers = { readonly quota: string; readonly region: string; readonly limit: number; readonly used: number }

export type Fields = { readonly [name: string]: string | number | boolean }

export function codeOf(verdict: Verdict): ProblemCode {
  switch (verdict.kind) {
    case 'pool':
    case 'quota':
      return verdict.code
    case 'labels':
    case 'sizes':
      return verdict.whose === 'volumes' ? 'SCHEDULING.VOLUME' : 'SCHEDULING.REQUIREMENT'
    case 'neighbours':
      return NEIGHBOUR_CODES[verdict.rule]
    case 'neighboursTogether':
      return NEIGHBOUR_CODES[verdict.rules[0]?.rule ?? 'affinity']
    case 'neighboursLeave':
      return codeOf(verdict.verdict)
    case 'noTerm':
    case 'taints':
    case 'offering':
    case 'amount':
    case 'disks':
    case 'atOnce':
    case 'daemons':
    case 'ports':
    case 'daemonNeighbours':
    case 'reservation':
    case 'limit':
    case 'minValues':
    case 'noRoom':
      return CODES[verdict.kind]
  }
}

const NEIGHBOUR_CODES = {
  spread: 'SCHEDULING.SPREAD',
  affinity: 'SCHEDULING.AFFINITY',
  antiAffinity: 'SCHEDULING.ANTI_AFFINITY',
  repelled: 'SCHEDULING.ANTI_AFFINITY',
} as const satisfies { [rule in NeighbourVerdict['rule']]: ProblemCode }

const CODES = {
  noTerm: 'SCHEDULING.REQUIREMENT',
  taints: 'SCHEDULING.TAINT',
  offering: 'SCHEDULING.OFFERING',
  amount: 'SCHEDULING.RESOURCES',
  disks: 'SCHEDULING.VOLUME',
  atOnce: 'SCHEDULING.RESOURCES',
  daemons: 'SCHEDULING.RESOURCES',
  ports: 'SCHEDULING.PORT',
  daemonNeighbours: 'SCHEDULING.ANTI_AFFINITY',
  reservation: 'SCHEDULING.RESERVATION',
  limit: 'POOL.LIMIT',
  minValues: 'SCHEDULING.MIN_VALUES',
  noRoom: 'SCHEDULING.RESOURCES',
} as const satisfies { [kind in Verdict['kind']]?: ProblemCode }

/** The numbers, as reasons carry them. */
export function fieldsOf(verdict: Verdict): Fields | undefined {
  switch (verdict.kind) {
    case 'pool':
      return verdict.fields
    case 'quota': {
      const { quota, region, limit, used } = verdict
      return { quota, region, limit, used }
    }
    case 'offering':
      return verdict.instanceTypes === undefined ? undefined : { instanceTypes: verdict.instanceTypes }
    case 'amount':
    case 'limit': {
      const { resource, asked, had, shortBy } = verdict
      return { resource, asked, had, shortBy }
    }
    case 'disks': {
      const { driver, asked, had, shortBy } = verdict
      return { driver, asked, had, shortBy }
    }
    case 'reservation':
      return { reservation: verdict.reservation }
    case 'minValues': {
      const { label, wanted, had } = verdict
      return { label, wanted, had }
    }
    case 'neighboursLeave':
      return fieldsOf(verdict.verdict)
    case 'noTerm':
    case 'taints':
    case 'labels':
    case 'sizes':
    case 'atOnce':
    case 'daemons':
    case 'ports':
    case 'daemonNeighbours':
    case 'neighbours':
    case 'neighboursTogether':
    case 'noRoom':
      return undefined
  }
}
