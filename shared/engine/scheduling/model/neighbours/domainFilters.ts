/** What rules about neighbours allow: Kubernetes' and Karpenter's semantics, one function a kind. */
import { has, type Requirements } from '../../../../model/requirements.ts'
import { isCounted, type PodClass, type RelaxedPod } from '../pods/podClass.ts'
import { isLookedAt, mayPass, type TopologyHost } from '../topology/host.ts'
import { countOf, mostIn, type NodeFilter, raise, type TopologyGroup } from '../topology/topologyGroup.ts'

/** Asks of each domain of a group whether one more pod may go there. Valid until the next placement. */
export type DomainFilter = {
  readonly group: TopologyGroup
  /** Of several domains allowed one must be chosen: each pod changes what the next may do. */
  readonly picksOne: boolean
  /** No domain is allowed, whatever it is. */
  readonly isDead?: boolean
  allows(domain: string): boolean
}

/** The rules that speak when a pod of the class looks for a place. */
export function domainFilters(podClass: PodClass, relaxedPod: RelaxedPod): readonly DomainFilter[] {
  return [
    ...relaxedPod.spread.map((group) => spreadFilter(group, podClass)),
    ...relaxedPod.affinity.map((group, at) => affinityFilter(group, podClass, relaxedPod, beginsWith(podClass, relaxedPod, at))),
    ...relaxedPod.antiAffinity.map((group) => apartFilter(group, group.selected)),
    ...podClass.repelledBy.map((group) => apartFilter(group, group.owners)),
  ]
}

/** In how many domains the rules look around before they say anything. */
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

/** True when the pods of the class that are there could have come last: what a finished plan has to show. */
export function isWithinSkew(group: TopologyGroup, podClass: PodClass, domain: string): boolean {
  const self = isCounted(podClass, group) ? 0 : 1
  return mostIn(group, domain) - globalMinimum(group) <= group.maxSkew + self
}

/**
 * The least count of the domains the pod may use, or of all where its node affinity is ignored: then one that it may not use holds up all
 * others, as it does for the scheduler. A new machine is always possible, so among host names it is 0.
 */
function globalMinimum(group: TopologyGroup): number {
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

/** The domains that a spread takes the least count of. */
export function domainsOfSpread(group: TopologyGroup): readonly string[] {
  return [...group.known].filter((domain) => isDomainOfSpread(group, domain))
}

function isDomainOfSpread({ filter, key }: TopologyGroup, domain: string): boolean {
  return filter?.required === undefined || admits(filter.required, key, domain)
}

/** Terms that the scheduler takes together to see whether the pod is the first of its series: all that are required, or a wish alone. */
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
  // The scheduler lets the first pod of a series choose; once one runs anywhere, the others go to it or nowhere.
  const isFirst = together.every((each) => !isBegun(each) && isCounted(podClass, each))
  return {
    group,
    // Where the first one goes the others follow.
    picksOne: isFirst,
    isDead: !isBegun(group) && !isFirst,
    allows: (domain) => mayUse(group, required, domain) && (countOf(group.selected, domain) > 0 || isFirst),
  }
}

/** Some pod of the series has a place, be it one whose domain is open. */
function isBegun({ selected, perhaps }: TopologyGroup): boolean {
  return selected.size > 0 || perhaps.size > 0
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
 * Whether a place that may still be in one of several domains will do whichever it comes to. Without the label there is nobody to keep
 * away from; where the first of a series goes must be decided, so that others can follow.
 */
export function holdsAnyway({ group, picksOne, allows }: DomainFilter, host: TopologyHost): boolean {
  const domains = host.domainsOf(group.key)
  if (domains.length > 0 && hasCompany(group, host)) return true
  return !picksOne && (group.kind === 'antiAffinity' || domains.length > 0) && domains.every((domain) => allows(domain))
}

/** Whoever the pods want to be near is on the place itself, wherever that comes to be. */
export function hasCompany({ kind, perhaps }: TopologyGroup, { name }: TopologyHost): boolean {
  return kind === 'affinity' && countOf(perhaps, name) > 0
}

/** How many rules keep others away from the domain already: pods they mean do least harm where others like them are. */
export function avoidedBy({ repelledBy }: PodClass, key: string, domain: string): number {
  let rules = 0
  for (const group of repelledBy) if (group.key === key && countOf(group.selected, domain) > 0) rules++
  return rules
}

/** What a group costs that counts a pod, in counts that are changed: it is asked for its domain, and whether it looks at the machine. */
const FOR_EACH_GROUP = 4

/** What it takes to record a pod, in counts that are changed. */
export function countsFor({ counted }: PodClass, { owned }: RelaxedPod): number {
  return FOR_EACH_GROUP * (counted.length + owned.length)
}

/** Counts a pod of the class where it went. Undecided places count for what must not be there, and for nothing else. */
export function record(host: TopologyHost, podClass: PodClass, relaxedPod: RelaxedPod, count = 1): void {
  let filter: NodeFilter | undefined
  let passes = true
  for (const group of podClass.counted) {
    // Of many groups most share a filter.
    if (group.filter !== filter) passes = isLookedAt(host, group.filter)
    filter = group.filter
    if (isOpenBeginning(group, podClass, host)) raise(group.perhaps, host.name, count)
    else if (passes) add(group, group.selected, host, count)
    else if (group.isWary && mayPass(host, group.filter)) add(group, group.perhaps, host, count)
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

/** A pod that begins a series where it is open which domain that is. Pods without such a rule can be bound after all others. */
function isOpenBeginning({ kind, key, isHost }: TopologyGroup, { pod }: PodClass, host: TopologyHost): boolean {
  if (kind !== 'affinity' || isHost || pod.podAffinity.required.length === 0) return false
  return host.domainOf(key) === undefined && host.domainsOf(key).length > 0
}
