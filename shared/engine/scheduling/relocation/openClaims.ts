/**
 * Opens claims for pods that move. A claim is held to a zone only when all its pods are known: the zone that is cheapest for the first pod may not sell
 * the size that all pods need.
 */
import { inOrder } from '../../../base/order.ts'
import { placeInOrder } from '../candidates/firstFit/firstFit.ts'
import { isDone } from '../candidates/packed/placePacked.ts'
import type { Plan } from '../candidates/plan.ts'
import { type NarrowedTemplate, offeringsOf, withValue } from '../model/catalog/narrowedTemplate.ts'
import { type DomainFilter, domainFilters, record } from '../model/neighbours/domainFilters.ts'
import { type Bin, type BinContent, cheapestOf, fitsAs, isBin, survivorsOf } from '../model/nodes/bin.ts'
import { domainsIn } from '../model/nodes/domains.ts'
import type { RelaxedPod } from '../model/pods/podClass.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import { mark } from './plannedMove.ts'

/**
 * Places the pods, on existing nodes of the plan as well, in the cheapest of several ways. Returns true if all pods have places, and the claims cost at
 * most `most` micro-USD an hour. If it returns false, some pods may have places. `queues`: what the pods ask for in each way.
 */
export function openClaims(plan: Plan, queues: readonly (readonly QueueEntry[])[], most: number): boolean {
  const attempts = queues.flatMap((queue) => attemptsWith(plan, queue, most))
  const [only, ...others] = attempts
  if (only !== undefined && others.length === 0) return only()
  const undo = mark(plan)
  let best: { readonly attempt: Attempt; readonly price: number } | undefined
  let last: Attempt | undefined
  for (const attempt of attempts) {
    if (last !== undefined) undo()
    last = attempt
    if (!attempt()) continue
    if (plan.bins.length === 1) return true
    const price = priceOf(plan)
    if (best === undefined || price < best.price) best = { attempt, price }
  }
  if (best === undefined || best.attempt === last) return best !== undefined
  undo()
  return best.attempt()
}

/** Returns true if all pods have places. */
type Attempt = () => boolean

function attemptsWith(plan: Plan, queue: readonly QueueEntry[], most: number): readonly Attempt[] {
  const early = (): boolean => placeInOrder(plan, queue, most) && isDone(plan)
  const late = (): boolean => placeLate(plan, queue, most)
  return plan.held === undefined && queue.some(hasDomains) ? [late, early] : [early]
}

/** Reports whether rules may hold a claim with these pods to a domain. */
function hasDomains({ podClass }: QueueEntry): boolean {
  return podClass.relaxedPods.some((relaxedPod) => groupsOf({ podClass, relaxedPod }).some(({ isHost }) => !isHost))
}

/** The groups whose rules apply to the pods, and the groups that count them. */
function groupsOf({ podClass, relaxedPod }: Pick<BinContent, 'podClass' | 'relaxedPod'>): readonly TopologyGroup[] {
  const { spread, affinity, antiAffinity } = relaxedPod
  return [...spread, ...affinity, ...antiAffinity, ...podClass.repelledBy, ...podClass.counted]
}

function priceOf({ bins }: Plan): number {
  return bins.reduce((sum, bin) => sum + (cheapestOf(bin)?.offering.price ?? Number.POSITIVE_INFINITY), 0)
}

/** Leaves domains of claims open until all pods have places. */
function placeLate(plan: Plan, queue: readonly QueueEntry[], most: number): boolean {
  const isPlaced = placeInOrder({ ...plan, commitment: 'late' }, queue, most) && isDone(plan)
  const isSettled = isPlaced && plan.bins.every((bin) => settle(bin, most))
  for (const [at, placement] of plan.log.entries()) {
    // With late commitment, pods count anew whenever their claim is held to fewer domains.
    if (isBin(placement.host)) plan.log[at] = { ...placement, countedAs: placement.host.narrowedTemplate }
  }
  return isSettled
}

/** Holds the claim to the cheapest domains that the rules of its pods allow. Returns false if there are none. */
function settle(bin: Bin, most: number): boolean {
  countPods(bin, -1)
  const keys = new Set(bin.contents.flatMap(groupsOf).flatMap(({ isHost, key }) => (isHost ? [] : [key])))
  const isSettled = [...keys].every((key) => settleBy(key, bin, most))
  countPods(bin, 1)
  return isSettled
}

function countPods(bin: Bin, sign: 1 | -1): void {
  for (const { podClass, relaxedPod, count } of bin.contents) record(bin, podClass, relaxedPod, sign * count)
}

function settleBy(key: string, bin: Bin, most: number): boolean {
  const domains = domainsIn(bin.narrowedTemplate, key)
  if (bin.domainOf(key) !== undefined || domains.length === 0) return true
  const liked = rulesBy(key, bin, ({ relaxedPod }) => relaxedPod)
  const required = rulesBy(key, bin, ({ podClass, relaxedPod }) => podClass.relaxedPods.at(-1) ?? relaxedPod)
  const best = cheapestIn(allowedBy(liked, domains), key, bin, most) ?? cheapestIn(allowedBy(required, domains), key, bin, most)
  if (best === undefined) return false
  bin.narrowedTemplate = best
  bin.cursor = 0
  return true
}

function rulesBy(key: string, { contents }: Bin, askedBy: (content: BinContent) => RelaxedPod): readonly DomainFilter[] {
  return contents.flatMap((content) => domainFilters(content.podClass, askedBy(content)).filter(({ group }) => group.key === key))
}

function allowedBy(rules: readonly DomainFilter[], domains: readonly string[]): readonly string[] {
  return domains.filter((domain) => rules.every((rule) => rule.allows(domain)))
}

/** The claim in the cheapest domain. Among equal prices, in the domain with the most sizes up to `most`, since a launch can choose among these. */
function cheapestIn(domains: readonly string[], key: string, bin: Bin, most: number): NarrowedTemplate | undefined {
  const choices = domains.flatMap((domain) => {
    const narrowedTemplate = withValue(bin.narrowedTemplate, key, domain)
    if (narrowedTemplate === undefined || !fitsAs(bin, narrowedTemplate)) return []
    const prices = survivorsOf(bin, narrowedTemplate).map(
      (size) => offeringsOf(narrowedTemplate, size)[0]?.price ?? Number.POSITIVE_INFINITY,
    )
    return [{ narrowedTemplate, price: prices[0] ?? Number.POSITIVE_INFINITY, sizes: prices.filter((price) => price <= most).length }]
  })
  return choices.sort(byPriceThenSizes)[0]?.narrowedTemplate
}

const byPriceThenSizes = inOrder<{ readonly price: number; readonly sizes: number }>(
  (first, second) => first.price - second.price,
  (first, second) => second.sizes - first.sizes,
)
