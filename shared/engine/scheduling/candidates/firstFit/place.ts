/** Decides whether one more pod may go to a node or a claim, and what the claim becomes then: resources, labels, ports and neighbours together. */
import { type NarrowedTemplate, withConstraint, withValue, withValues } from '../../model/catalog/narrowedTemplate.ts'
import { byDomainChoice, crowdOf, type DomainFilter, hasAffinityPartner, holdsAnyway } from '../../model/neighbours/domainFilters.ts'
import { type Bin, domainsIn, type Fit, fitIn } from '../../model/nodes/bin.ts'
import { type ExistingNode, roomOn } from '../../model/nodes/existingNode.ts'
import type { Constraint, PodClass, RelaxedPod } from '../../model/pods/constraint.ts'
import type { TopologyHost } from '../../model/topology/inverseAntiAffinity.ts'
import type { Commitment } from '../plan.ts'

/** `never`: the refusal stands for the rest of the plan. `notNow`: another placement may lift it. */
export type No = 'never' | 'notNow'

export function tryExistingNode(
  existingNode: ExistingNode,
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  rules: readonly DomainFilter[],
  commitment: Commitment,
): 'fits' | No {
  if (roomOn(existingNode, podClass, relaxedPod.constraint, 1) === 0) return 'never'
  const refused = refusedBy(rules, existingNode, commitment)
  if (refused !== undefined) return refused
  for (const rule of rules) if (domainFor(rule, existingNode) === undefined && !holdsAnyway(rule, existingNode)) return 'notNow'
  return 'fits'
}

/**
 * The refusal by rules about domains that are decided. Undefined if no rule refuses. Counts only grow, so a domain with too many pods stays refused.
 * The exception is an undecided machine: it counts in several domains, and in fewer once it is held to one.
 */
function refusedBy(rules: readonly DomainFilter[], host: TopologyHost, commitment: Commitment): No | undefined {
  let answer: No | undefined
  for (const rule of rules) {
    const domain = domainFor(rule, host)
    if (domain === undefined || rule.allows(domain)) continue
    const { kind, isHost } = rule.group
    if (isHost ? kind !== 'affinity' : kind === 'antiAffinity' && commitment === 'early') return 'never'
    answer = 'notNow'
  }
  return answer
}

function domainFor({ group }: DomainFilter, host: TopologyHost): string | undefined {
  return group.isHost ? host.name : host.domainOf(group.key)
}

export function tryBin(
  bin: Bin,
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  rules: readonly DomainFilter[],
  commitment: Commitment,
): Fit | No {
  const { constraint } = relaxedPod
  const refused = refusedBy(rules, bin, commitment)
  if (refused !== undefined) return refused
  const answer = tryWay(bin, podClass, constraint, rules, commitment)
  if (constraint.ways.length === 0 || (typeof answer === 'object' && answer.narrowedTemplate === bin.narrowedTemplate)) return answer
  // The alternative with the cheapest size may have no room or domain for the pod, or cost more with the pod. So each one is tried.
  const all = [answer, ...constraint.ways.map((way) => tryWay(bin, podClass, way, rules, commitment))]
  const fits = all.filter((each) => typeof each === 'object')
  if (fits.length > 0) return fits.reduce((best, each) => (priceAt(each) < priceAt(best) ? each : best))
  return all.includes('notNow') ? 'notNow' : answer
}

/** An unknown price comes after every known one. */
function priceAt({ narrowedTemplate, cursor }: Fit): number {
  return narrowedTemplate.best[cursor]?.price ?? Number.POSITIVE_INFINITY
}

function tryWay(bin: Bin, podClass: PodClass, constraint: Constraint, rules: readonly DomainFilter[], commitment: Commitment): Fit | No {
  const narrowedTemplate = withConstraint(bin.narrowedTemplate, constraint)
  if (narrowedTemplate === undefined) return 'never'
  const fit = fitIn(bin, narrowedTemplate, podClass)
  if (fit === undefined) return 'never'
  if (rules.length === 0 && (commitment !== 'early' || podClass.counted.length === 0)) return fit
  return narrowed(bin, fit, podClass, rules, commitment) ?? 'notNow'
}

/** Picks the domains that the rules ask about, one label after another. A choice that leaves no domain for a later label is taken back. */
function narrowed(bin: Bin, fit: Fit, podClass: PodClass, rules: readonly DomainFilter[], commitment: Commitment): Fit | undefined {
  const settlings = [...keysOf(rules, podClass, commitment)].map((key) => ({
    key,
    rules: rules.filter(({ group }) => group.key === key),
    commitment,
  }))
  return settleAll(bin, fit, podClass, settlings)
}

function settleAll(bin: Bin, fit: Fit, podClass: PodClass, [first, ...others]: readonly Settling[]): Fit | undefined {
  if (first === undefined) return fit
  for (const settled of settle(bin, fit, podClass, first)) {
    const found = settleAll(bin, settled, podClass, others)
    if (found !== undefined) return found
  }
  return undefined
}

function keysOf(rules: readonly DomainFilter[], { counted }: PodClass, commitment: Commitment): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { group } of rules) if (!group.isHost) keys.add(group.key)
  if (commitment === 'early') for (const group of counted) if (!group.isHost) keys.add(group.key)
  return keys
}

type Settling = { readonly key: string; readonly rules: readonly DomainFilter[]; readonly commitment: Commitment }

/** The choices for one label, preferred first. */
function settle(bin: Bin, fit: Fit, podClass: PodClass, settling: Settling): readonly Fit[] {
  const { key, rules, commitment } = settling
  const { narrowedTemplate } = fit
  const decided = decidedIn(narrowedTemplate, key)
  if (decided !== undefined) return rules.every((rule) => rule.allows(decided)) ? [fit] : []
  const possible = domainsIn(narrowedTemplate, key)
  // A machine without the label is in no domain. Only anti-affinity is met there.
  if (possible.length === 0) return rules.every(({ group }) => group.kind === 'antiAffinity') ? [fit] : []
  const domains = possible.filter((domain) => rules.every((rule) => rule.allows(domain) || hasAffinityPartner(rule.group, bin)))
  if (domains.length === 0) return []
  const picksOne = commitment === 'early' || rules.some((rule) => rule.picksOne)
  if (picksOne) return inOrderOfChoice(bin, narrowedTemplate, domains, podClass, settling)
  const left = withValues(narrowedTemplate, { key, complement: false, values: [...domains].sort() })
  const narrower = left === undefined ? undefined : fitIn(bin, left, podClass)
  return narrower === undefined ? [] : [narrower]
}

function decidedIn({ requirements }: NarrowedTemplate, key: string): string | undefined {
  const own = requirements.get(key)
  return own !== undefined && !own.complement && own.values.length === 1 ? own.values[0] : undefined
}

/** The domains whose machines can hold the pod, in the order of choice. With late commitment the price does not count, as in Karpenter. */
function inOrderOfChoice(
  bin: Bin,
  narrowedTemplate: NarrowedTemplate,
  domains: readonly string[],
  podClass: PodClass,
  settling: Settling,
): readonly Fit[] {
  const { key, rules, commitment } = settling
  const own = rules.find(({ group }) => group.kind === 'spread')?.group
  const ruling = own ?? podClass.counted.find((group) => group.key === key && group.kind === 'spread')
  const ordered = commitment === 'late' ? [...domains].sort() : domains
  const choices = ordered.flatMap((domain) => {
    const left = withValue(narrowedTemplate, key, domain)
    const fit = left === undefined ? undefined : fitIn(bin, left, podClass)
    if (fit === undefined) return []
    const count = crowdOf(ruling, podClass, key, domain)
    const anyPrice = commitment === 'late' ? 0 : (fit.narrowedTemplate.best[fit.cursor]?.price ?? Number.MAX_SAFE_INTEGER)
    return [{ fit, count, price: own === undefined ? anyPrice : 0, ways: 0, anyPrice }]
  })
  return choices.sort(byDomainChoice).map(({ fit }) => fit)
}

/** Remembers places that refused a relaxed pod for good. Totals only grow and labels only narrow, so these places need not be asked again. */
export interface Rejections {
  of(relaxedPod: Pick<RelaxedPod, 'id'>): Marks
}

export interface Marks {
  /** No place before this one needs to be asked. */
  readonly first: number
  has(place: number): boolean
  /** Rules out all places before this one. */
  begin(place: number): void
  add(place: number): void
}

export function createRejections(): Rejections {
  const known = new Map<number, Marks>()
  return {
    of(relaxedPod) {
      const marks = known.get(relaxedPod.id) ?? new PlaceMarks()
      known.set(relaxedPod.id, marks)
      return marks
    },
  }
}

/** A class because plans have marks for each relaxed pod: all of them share their methods. */
class PlaceMarks implements Marks {
  first = 0
  /** Made with the first mark behind `first`: most pods of most plans are refused by few places. */
  #marked = NO_MARKS

  has(place: number): boolean {
    return place < this.first || this.#marked[place] === 1
  }

  begin(place: number): void {
    this.first = Math.max(this.first, place)
    while (this.#marked[this.first] === 1) this.first++
  }

  add(place: number): void {
    if (place === this.first) {
      this.begin(place + 1)
      return
    }
    if (place >= this.#marked.length) this.#marked = largerThan(this.#marked, place)
    this.#marked[place] = 1
  }
}

const NO_MARKS = new Uint8Array()

function largerThan(marked: Uint8Array, place: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(64, place * 2))
  larger.set(marked)
  return larger
}
