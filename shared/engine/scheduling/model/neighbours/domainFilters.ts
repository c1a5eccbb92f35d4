/** What spread, affinity and anti-affinity rules allow. The semantics are those of Kubernetes and Karpenter, with one function for each kind. */
import { inOrder } from '../../../../base/lists.ts'
import { has, type Requirements } from '../../../../model/requirements.ts'
import { isCounted, type PodClass, type RelaxedPod } from '../pods/constraint.ts'
import { isLookedAt, mayPass, type TopologyHost } from '../topology/inverseAntiAffinity.ts'
import { countOf, mostIn, type NodeFilter, raise, type TopologyGroup } from '../topology/topologyGroup.ts'

/** Says for each domain of a group whether one more pod may go there. Valid until the next placement. */
export type DomainFilter = {
  readonly group: TopologyGroup
  /** True if one of the allowed domains must be chosen, since each pod changes where the next pod may go. */
  readonly picksOne: boolean
  /** True if no domain is allowed at all. */
  readonly isDead?: boolean
  allows(domain: string): boolean
}

/** The rules that apply when a pod of the class looks for a place. */
export function domainFilters(podClass: PodClass, relaxedPod: RelaxedPod): readonly DomainFilter[] {
  const { spread, affinity, antiAffinity } = relaxedPod
  const { repelledBy } = podClass
  if (spread.length + affinity.length + antiAffinity.length + repelledBy.length === 0) return NO_FILTERS
  const filters: DomainFilter[] = []
  for (const group of spread) filters.push(spreadFilter(group, podClass))
  for (const [at, group] of affinity.entries())
    filters.push(affinityFilter(group, podClass, relaxedPod, beginsWith(podClass, relaxedPod, at)))
  for (const group of antiAffinity) filters.push(apartFilter(group, group.selected))
  for (const group of repelledBy) filters.push(apartFilter(group, group.owners))
  return filters
}

const NO_FILTERS: readonly DomainFilter[] = []

/** The number of domains that the rules look at before they answer. */
export function reachOf(rules: readonly DomainFilter[]): number {
  let reach = 0
  for (const { group } of rules) reach += group.isHost ? 1 : 1 + group.known.size
  return reach
}

function apartFilter(group: TopologyGroup, counts: ReadonlyMap<string, number>): DomainFilter {
  return { group, picksOne: false, allows: (domain) => countOf(counts, domain) === 0 }
}

function spreadFilter(group: TopologyGroup, podClass: PodClass): DomainFilter {
  const self = isCounted(podClass, group) ? 1 : 0
  const most = globalMinimum(group) + group.maxSkew - self
  const { known } = group
  return {
    group,
    picksOne: true,
    allows: (domain) => (group.isHost || known.has(domain)) && mostIn(group, domain) <= most,
  }
}

/**
 * Reports whether a pod with the spread that is in the domain could have been placed last. This must hold in a finished plan. Whether the spread counts the pod
 * makes no difference: the counts of a finished plan contain the pod already.
 */
export function isWithinSkew(group: TopologyGroup, domain: string): boolean {
  return mostIn(group, domain) - globalMinimum(group) <= group.maxSkew
}

/**
 * The least count among the domains that the pod may use, or among all domains if its node affinity is ignored. In the second case a domain
 * that the pod may not use holds up all others, as in the scheduler. Among host names the least count is 0, since a new machine is always possible.
 */
export function globalMinimum(group: TopologyGroup): number {
  if (group.isHost) return 0
  let floor = Number.MAX_SAFE_INTEGER
  let domains = 0
  for (const domain of group.known) {
    if (!isDomainOfSpread(group, domain)) continue
    domains++
    floor = Math.min(floor, countOf(group.selected, domain))
  }
  return domains < group.minDomains ? 0 : floor
}

/** The domains among which a spread takes the least count. */
export function domainsOfSpread(group: TopologyGroup): readonly string[] {
  return [...group.known].filter((domain) => isDomainOfSpread(group, domain))
}

function isDomainOfSpread({ filter, key, ignored }: TopologyGroup, domain: string): boolean {
  if (ignored.has(domain)) return false
  return filter?.required === undefined || admits(filter.required, key, domain)
}

/** The terms that the scheduler takes together to see whether the pod is the first of its series: all required terms, or one preferred term alone. */
function beginsWith({ pod }: PodClass, { affinity }: RelaxedPod, at: number): readonly TopologyGroup[] {
  const required = pod.podAffinity.required.length
  return at < required ? affinity.slice(0, required) : affinity.slice(at, at + 1)
}

function affinityFilter(
  group: TopologyGroup,
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  together: readonly TopologyGroup[],
): DomainFilter {
  const { required } = relaxedPod
  // The scheduler lets the first pod of a series choose its domain. Once a pod of the series runs anywhere, the others go to its domain or nowhere.
  const isFirst = together.every((each) => !isBegun(each) && isCounted(podClass, each))
  return {
    group,
    // The other pods follow the first pod.
    picksOne: isFirst,
    isDead: !isBegun(group) && !isFirst,
    allows: (domain) => mayUse(group, required, domain) && (countOf(group.selected, domain) > 0 || isFirst),
  }
}

/** Reports whether some pod of the series has a place, even a place whose domain is still open. */
function isBegun({ selected, possible }: TopologyGroup): boolean {
  return selected.size > 0 || possible.size > 0
}

function mayUse(group: TopologyGroup, required: readonly Requirements[], domain: string): boolean {
  return group.isHost || admits(required, group.key, domain)
}

function admits(required: readonly Requirements[], key: string, value: string): boolean {
  return required.some((each) => {
    const own = each.get(key)
    return own === undefined || has(own, value)
  })
}

/**
 * Reports whether a host that may still come to one of several domains satisfies the rule in each of them. A host without the label satisfies any
 * anti-affinity. The domain of the first pod of a series must be decided, so that others can follow.
 */
export function holdsAnyway({ group, picksOne, allows }: DomainFilter, host: TopologyHost): boolean {
  const domains = host.domainsOf(group.key)
  if (domains.length > 0 && hasAffinityPartner(group, host)) return true
  return !picksOne && (group.kind === 'antiAffinity' || domains.length > 0) && domains.every((domain) => allows(domain))
}

/** Reports whether a pod that the affinity asks for is on the host itself, in whatever domain the host comes to be. */
export function hasAffinityPartner({ kind, possible }: TopologyGroup, { name }: TopologyHost): boolean {
  return kind === 'affinity' && countOf(possible, name) > 0
}

/** The number of anti-affinity rules against the class that already select pods in the domain. Another such pod does least harm there. */
function avoidedBy({ repelledBy }: PodClass, key: string, domain: string): number {
  let rules = 0
  for (const group of repelledBy) if (group.key === key && countOf(group.selected, domain) > 0) rules++
  return rules
}

/** The cost of one group that counts a pod, in changed counts. The group is also asked for its domain and its node filter. */
const FOR_EACH_GROUP = 4

/** The cost of recording a pod, in changed counts. */
export function countsFor({ counted }: PodClass, { owned }: RelaxedPod): number {
  return FOR_EACH_GROUP * (counted.length + owned.length)
}

/** Counts a pod of the class where it was placed. In `selected`, an open domain counts for anti-affinity only, in each domain it may become. */
export function record(host: TopologyHost, podClass: PodClass, relaxedPod: RelaxedPod, count = 1): void {
  let filter: NodeFilter | undefined
  let passes = true
  for (const group of podClass.counted) {
    // Most of the groups share one filter.
    if (group.filter !== filter) passes = isLookedAt(host, group.filter)
    filter = group.filter
    if (isOpenBeginning(group, podClass, host)) raise(group.possible, host.name, count)
    else if (passes) add(group, group.selected, host, count)
    else if (group.countsPossible && mayPass(host, group.filter)) add(group, group.possible, host, count)
  }
  for (const group of relaxedPod.owned) add(group, group.owners, host, count)
  host.countDaemons?.(count)
}

function add(group: TopologyGroup, counts: Map<string, number>, host: TopologyHost, count: number): void {
  if (group.isHost) {
    raise(counts, host.name, count)
    return
  }
  const domain = host.domainOf(group.key)
  const domains = domain !== undefined ? [domain] : group.kind === 'antiAffinity' ? host.domainsOf(group.key) : []
  for (const each of domains) {
    raise(counts, each, count)
    group.known.add(each)
  }
}

/**
 * Reports whether the pod begins an affinity series on a host whose domain is still open. A pod without required affinity does not: it can be
 * bound after all others.
 */
function isOpenBeginning({ kind, key, isHost }: TopologyGroup, { pod }: PodClass, host: TopologyHost): boolean {
  if (kind !== 'affinity' || isHost || pod.podAffinity.required.length === 0) return false
  return host.domainOf(key) === undefined && host.domainsOf(key).length > 0
}

export type DomainChoice = {
  /** Zero for spread pods: they go where the fewest pods are, at any price. */
  readonly price: number
  readonly count: number
  /** The number of ways in which the labels after this one can still be chosen. */
  readonly ways: number
  /** The price, for spread pods as well. */
  readonly anyPrice: number
}

/**
 * Which of several domains a pod goes to, where rules leave more than one. Cheapest first, then the fewest pods, then the fewest ways left, then the
 * cheapest of equal domains of a spread. Karpenter goes by the name of the domain where this order goes by price.
 */
export const byDomainChoice = inOrder<DomainChoice>(
  (first, second) => first.price - second.price,
  (first, second) => first.count - second.count,
  (first, second) => first.ways - second.ways,
  (first, second) => first.anyPrice - second.anyPrice,
)

/**
 * The number of pods of the ruling group in the domain. Without a ruling group, the domain that most rules avoid already comes first: pods that keep
 * others away do least harm there.
 */
export function crowdOf(ruling: TopologyGroup | undefined, podClass: PodClass, key: string, domain: string): number {
  return ruling === undefined ? -avoidedBy(podClass, key, domain) : countOf(ruling.selected, domain)
}
