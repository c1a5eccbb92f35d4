/**
 * Opens claims for pods that move. A claim is held to a zone only when all its pods are known: the zone that is cheapest for the first pod may not sell
 * the size that all pods need.
 */
import { inOrder } from '../../../base/lists.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { placeInOrder } from '../candidates/firstFit/firstFit.ts'
import { isDone } from '../candidates/packed/placePacked.ts'
import type { Plan } from '../candidates/plan.ts'
import { markAll, negative, type Usage, usageOf } from '../model/catalog/limits.ts'
import { type NarrowedTemplate, offeringsOf, withValue } from '../model/catalog/narrowedTemplate.ts'
import { type DomainFilter, domainFilters, record } from '../model/neighbours/domainFilters.ts'
import { type Bin, type BinContent, cheapestOf, domainsIn, fitsAs, isBin, survivorsOf } from '../model/nodes/bin.ts'
import { type ExistingNode, putBack } from '../model/nodes/existingNode.ts'
import type { PodClass, QueueEntry, RelaxedPod } from '../model/pods/constraint.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import { ignoreDomainsOf, type NodesIn } from './domainsWithoutNodes.ts'
import { type LeavingPods, mark, recount } from './placedPods.ts'
import type { RelocationProblem } from './relocationProblem.ts'

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

/**
 * Closes machines on paper: their nodes take no pods, their pods count nowhere, and limits have back what the machines take. Returns the plan in
 * which the pods wait for places, and what the nodes had free. `reopen` opens the nodes alone. `undo` takes back the plan and everything else.
 * `nodes`: given if spreads ignore the domains that lose their last node.
 */
export function closeOnPaper(
  problem: RelocationProblem,
  base: Plan,
  machines: readonly StateNode[],
  moving: readonly LeavingPods[],
  nodes: NodesIn | undefined,
) {
  const { existingNodeOf } = problem
  const existingNodes = machines.flatMap((machine) => existingNodeOf(machine) ?? [])
  const { closed, reopen } = closeNodes(existingNodes)
  countLeaving(moving, -1)
  const heed = nodes === undefined ? () => undefined : ignoreDomainsOf(existingNodes, problem.problem.groups.all, nodes)
  const limits = markAll(base.poolOptions.map(({ limits }) => limits))
  for (const machine of machines) giveBack(base, usageOf(machine, problem.problem.typesOf))
  const plan = planFor(base, moving)
  return {
    plan,
    closed,
    reopen,
    undo(): void {
      for (const placement of plan.log) recount(placement, -1)
      for (const [existingNode, mark] of plan.touched) putBack(existingNode, mark)
      limits()
      heed()
      countLeaving(moving, 1)
      reopen()
    },
  }
}

/**
 * Closes the nodes: no pod fits there any more. The domains of the nodes stay, since the scheduler counts a node until it is gone. `closed`: the free
 * amounts of each node before. `reopen` opens the nodes.
 */
function closeNodes(existingNodes: readonly ExistingNode[]) {
  const closed = existingNodes.map(({ free }) => Float64Array.from(free))
  for (const { free } of existingNodes) free.fill(-1)
  return {
    closed,
    reopen(): void {
      for (const [index, { free }] of existingNodes.entries()) free.set(closed[index] ?? free)
    },
  }
}

/** Gives the limits of its pool back what a machine takes of them, for its replacement. */
function giveBack({ poolOptions }: Plan, usage: Usage | undefined): void {
  if (usage === undefined) return
  const back = negative(usage.capacity)
  for (const { narrowedTemplate, limits } of poolOptions) if (narrowedTemplate.template.pool.name === usage.pool) limits.take(back)
}

function countLeaving(moving: readonly LeavingPods[], sign: 1 | -1): void {
  for (const { host, podClass, share } of moving) {
    const relaxedPod = podClass.relaxedPods[0]
    if (host !== undefined && relaxedPod !== undefined && share.counted > 0) record(host, podClass, relaxedPod, sign * share.counted)
  }
}

function planFor(base: Plan, moving: readonly LeavingPods[]): Plan {
  const left = new Map<PodClass, number>()
  for (const { podClass, share } of moving) left.set(podClass, (left.get(podClass) ?? 0) + share.pods.length)
  return { ...base, touched: new Map(), postponed: new Map(), refused: new Set(), bins: [], log: [], left }
}
