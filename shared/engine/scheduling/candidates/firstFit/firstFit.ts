/**
 * First fit in Karpenter's order. Each pod goes onto the first existing node that takes it, else into the open claim with the fewest pods that takes
 * it, else into a new claim of the first pool that can. Pods without a place are tried again as long as other pods find one.
 */
import { countsFor, type DomainFilter, domainFilters, reachOf, record } from '../../model/neighbours/domainFilters.ts'
import { type Bin, type Fit, isBin, putInto } from '../../model/nodes/bin.ts'
import { type ExistingNode, markOf, putOn, roomOn } from '../../model/nodes/existingNode.ts'
import { hasNeighbourRules, type PodClass, type QueueEntry, type RelaxedPod } from '../../model/pods/constraint.ts'
import { demandOf } from '../../model/quantities/amounts.ts'
import { SHARE_FOR_COMPARISON } from '../../model/quantities/tuning.ts'
import { endOf, spentOn } from '../../model/quantities/work.ts'
import type { Placement, Plan } from '../plan.ts'
import { hold, reservationsFor } from '../reservations.ts'
import { type BinOrder, createBinOrder, findClaim } from './open.ts'
import { createRejections, type Rejections, tryBin, tryExistingNode } from './place.ts'
import { type ActiveQueue, createActiveQueue } from './queues.ts'

/**
 * Places the pods of the queue. Returns false if the search was given up: its claims cost more than `most` (micro-USD per hour), or a search with
 * such a bound used up its share of the budget.
 */
export function placeInOrder(plan: Plan, queue: readonly QueueEntry[], most = Number.POSITIVE_INFINITY): boolean {
  return place(plan, queue, { opens: true, most })
}

/** Places pods and opens no claim. A pod is left out if a new claim would take it with fewer preferences given up. */
export function placeOnExistingNodes(plan: Plan, queue: readonly QueueEntry[]): void {
  if (plan.existingNodes.length > 0) place(plan, queue, { opens: false, most: Number.POSITIVE_INFINITY })
}

function place(plan: Plan, queue: readonly QueueEntry[], { opens, most }: Pick<Search, 'opens' | 'most'>): boolean {
  const search: Search = {
    plan,
    opens,
    most,
    cost: 0,
    order: createBinOrder(plan.bins),
    onExistingNodes: createRejections(),
    active: createActiveQueue(queue.length),
  }
  const counts = queue.map(({ count }) => count)
  const end = Number.isFinite(most) ? endOf(plan, SHARE_FOR_COMPARISON) : Number.POSITIVE_INFINITY
  for (let at = search.active.next(); at >= 0; at = search.active.next()) {
    const entry = queue[at]
    if (entry === undefined) continue
    counts[at] = (counts[at] ?? 0) - placeEntry(search, at, entry, counts[at] ?? 0)
    if (search.cost > most || spentOn(plan.work) > end) return false
  }
  return true
}

type Search = {
  readonly plan: Plan
  readonly opens: boolean
  /** What the claims may cost, in micro-USD per hour. */
  readonly most: number
  /** What the claims cost now. A claim never gets cheaper with more pods or fewer choices. */
  cost: number
  readonly order: BinOrder
  readonly onExistingNodes: Rejections
  readonly active: ActiveQueue
}

function placeEntry(search: Search, at: number, entry: QueueEntry, wanted: number): number {
  const { plan, active } = search
  const { podClass, from } = entry
  const relaxedPods = podClass.relaxedPods.slice(from)
  const count = Math.min(wanted, plan.left.get(podClass) ?? 0)
  let placed = 0
  while (placed < count && search.cost <= search.most) {
    if (active.isAsleep(podClass)) {
      active.sleep(at, podClass, false)
      break
    }
    if (spentOn(plan.work) >= plan.budget.most) {
      plan.postponed.set(podClass, 'SCHEDULING.DEADLINE')
      break
    }
    plan.postponed.delete(podClass)
    plan.work.attempts++
    const { version } = plan
    const taken = placeSome(search, podClass, relaxedPods, count - placed)
    if (plan.version !== version) active.changed()
    if (taken === 0) {
      active.sleep(at, podClass, waitsForCounts(plan, podClass))
      if (search.opens) plan.refused.add(podClass)
    }
    placed += taken
    if (taken === 0) break
  }
  if (placed > 0) plan.left.set(podClass, (plan.left.get(podClass) ?? 0) - placed)
  return placed
}

/** True if every relaxed pod waits for pods that are nowhere yet. */
function waitsForCounts(plan: Plan, podClass: PodClass): boolean {
  return podClass.relaxedPods.every((relaxedPod) => rulesFor(plan, podClass, relaxedPod).some(({ isDead }) => isDead))
}

/** Places one pod. If no rule about neighbours applies, places as many pods as one existing node takes. Returns their number. */
function placeSome(search: Search, podClass: PodClass, relaxedPods: readonly RelaxedPod[], most: number): number {
  const nodesFirst = search.plan.nodesFirst && podClass.isLeaving
  const onAnyNode = nodesFirst ? placeOnAnyNode(search, podClass, relaxedPods, most) : 0
  if (onAnyNode > 0 || (nodesFirst && !search.opens)) return onAnyNode
  for (const relaxedPod of relaxedPods) {
    const rules = rulesFor(search.plan, podClass, relaxedPod)
    if (rules.some(({ isDead }) => isDead)) continue
    const inSeries = beginSeries(search, podClass, relaxedPod, rules)
    if (inSeries !== undefined) return inSeries
    const onNode = nodesFirst ? 0 : placeOnNode(search, podClass, relaxedPod, rules, most)
    const placed = onNode > 0 ? onNode : placeInClaim(search, podClass, relaxedPod, rules)
    if (placed !== undefined) return placed
  }
  return 0
}

/** Places one pod in a claim. 0 if the pod must wait, or would get a new claim if claims may be opened. Undefined if no claim takes the pod. */
function placeInClaim(search: Search, podClass: PodClass, relaxedPod: RelaxedPod, rules: readonly DomainFilter[]): number | undefined {
  const found = findClaim(search, podClass, relaxedPod, rules)
  if (found === undefined) return undefined
  if (found === 'postponed') search.plan.postponed.set(podClass, 'SCHEDULING.RESERVATION')
  if (typeof found !== 'object') return 0
  if (found.isNew) addBin(search.plan, found.bin)
  takeBin(search, found.bin, podClass, relaxedPod, found.fit)
  return 1
}

function addBin(plan: Plan, bin: Bin): void {
  plan.work.opened++
  plan.bins.push(bin)
  plan.version++
}

/**
 * Places pods that must share a machine with each other, where there is room for all of them. Returns their number: pods that came in between could
 * take the room. 0 if the pods must wait, as in `placeInClaim`. Undefined if they are no such pods, or no machine takes all of them: the first then
 * goes where any pod goes.
 */
function beginSeries(search: Search, podClass: PodClass, relaxedPod: RelaxedPod, rules: readonly DomainFilter[]): number | undefined {
  const { plan } = search
  const count = plan.left.get(podClass) ?? 0
  if (count < 2 || !plan.nodesFirst || podClass.isLeaving || !beginsSeries(podClass, relaxedPod, rules)) return undefined
  const series = { ...podClass, amounts: demandOf([{ podClass, count }], plan.axes) }
  // An id of its own: what refuses all of them may take one.
  const host = findHost(search, series, { ...relaxedPod, id: -1 - relaxedPod.id }, rules)
  if (host === undefined) return undefined
  let placed = 0
  while (host !== 'waits' && placed < count && placeOn(search, host, podClass, relaxedPod)) placed++
  return placed
}

/** An existing node or a claim that takes the pod. A new claim is opened. */
function findHost(
  search: Search,
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  rules: readonly DomainFilter[],
): ExistingNode | Bin | 'waits' | undefined {
  const existingNode = findExistingNode(search, podClass, relaxedPod, rules)
  if (existingNode !== undefined) return existingNode
  const found = findClaim(search, podClass, relaxedPod, rules)
  if (found === 'postponed') return undefined
  if (typeof found !== 'object') return found
  if (found.isNew) addBin(search.plan, found.bin)
  return found.bin
}

/** Places one more pod on this machine, if the rules let it. */
function placeOn(search: Search, host: ExistingNode | Bin, podClass: PodClass, relaxedPod: RelaxedPod): boolean {
  const { plan } = search
  const rules = rulesFor(plan, podClass, relaxedPod)
  if (!isBin(host)) {
    if (tryExistingNode(host, podClass, relaxedPod, rules, plan.commitment) !== 'fits') return false
    takeExistingNode(plan, host, podClass, relaxedPod, 1)
    search.active.placed(podClass, relaxedPod)
    return true
  }
  const fit = tryBin(host, podClass, relaxedPod, rules, plan.commitment)
  if (typeof fit === 'object') takeBin(search, host, podClass, relaxedPod, fit)
  return typeof fit === 'object'
}

/** Reports whether the next pod of the class decides which machine the others must go to, and nothing else keeps them from going there. */
function beginsSeries({ hostPorts, shared }: PodClass, { spread, antiAffinity }: RelaxedPod, rules: readonly DomainFilter[]): boolean {
  if (!rules.some(({ group, picksOne }) => group.isHost && group.kind === 'affinity' && picksOne)) return false
  return hostPorts.length + shared.length === 0 && ![...spread, ...antiAffinity].some(({ isHost }) => isHost)
}

/** Places pods on existing nodes only. The pods give up preferences, one after another, until a node takes them. Returns the number of placed pods. */
function placeOnAnyNode(search: Search, podClass: PodClass, relaxedPods: readonly RelaxedPod[], most: number): number {
  for (const relaxedPod of relaxedPods) {
    const rules = rulesFor(search.plan, podClass, relaxedPod)
    const placed = rules.some(({ isDead }) => isDead) ? 0 : placeOnNode(search, podClass, relaxedPod, rules, most)
    if (placed > 0) return placed
  }
  return 0
}

/** Places pods on the first existing node that takes them. Returns their number. */
function placeOnNode(search: Search, podClass: PodClass, relaxedPod: RelaxedPod, rules: readonly DomainFilter[], most: number): number {
  const existingNode = findExistingNode(search, podClass, relaxedPod, rules)
  if (existingNode === undefined) return 0
  const count = rules.length === 0 ? roomOn(existingNode, podClass, relaxedPod.constraint, most) : 1
  takeExistingNode(search.plan, existingNode, podClass, relaxedPod, count)
  search.active.placed(podClass, relaxedPod)
  return count
}

function rulesFor(plan: Plan, podClass: PodClass, relaxedPod: RelaxedPod): readonly DomainFilter[] {
  if (!hasNeighbourRules(podClass, relaxedPod)) return NO_RULES
  const rules = domainFilters(podClass, relaxedPod)
  plan.work.domains += reachOf(rules)
  return rules
}

function findExistingNode(
  { plan, onExistingNodes }: Search,
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  rules: readonly DomainFilter[],
): ExistingNode | undefined {
  const { existingNodes, room } = plan
  if (existingNodes.length === 0) return undefined
  const marks = onExistingNodes.of(relaxedPod)
  // A pod takes nothing for a shared volume that a node has mounted already. So `room` cannot rule nodes out.
  const next = (from: number): number => (podClass.shared.length > 0 ? from : room.next(podClass.amounts, from))
  marks.begin(next(marks.first))
  for (let at = marks.first; at < existingNodes.length; at = next(at + 1)) {
    const existingNode = existingNodes[at]
    if (existingNode === undefined || marks.has(at)) continue
    plan.work.existingNodes++
    const answer = tryExistingNode(existingNode, podClass, relaxedPod, rules, plan.commitment)
    if (answer === 'fits') return existingNode
    if (answer === 'never') marks.add(at)
  }
  return undefined
}

export function takeExistingNode(
  plan: Plan,
  existingNode: ExistingNode,
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  count: number,
  more: Pick<Placement, 'isNominated'> = {},
): void {
  if (!plan.touched.has(existingNode)) plan.touched.set(existingNode, markOf(existingNode))
  putOn(existingNode, podClass, count)
  plan.work.counts += countsFor(podClass, relaxedPod)
  record(existingNode, podClass, relaxedPod, count)
  plan.log.push({ host: existingNode, podClass, relaxedPod, count, ...more })
}

function takeBin(search: Search, bin: Bin, podClass: PodClass, relaxedPod: RelaxedPod, fit: Fit): void {
  const { plan, order } = search
  search.cost += priceAt(fit) - (bin.podCount === 0 ? 0 : priceAt(bin))
  hold(plan, bin, reservationsFor(plan, bin, fit, podClass) ?? NOTHING_HELD)
  plan.work.counts += countsFor(podClass, relaxedPod)
  const isNarrower = plan.commitment !== 'early' && fit.narrowedTemplate !== bin.narrowedTemplate
  if (isNarrower) recordAll(bin, -1)
  putInto(bin, podClass, relaxedPod, 1, fit)
  if (isNarrower) recordAll(bin, 1)
  else record(bin, podClass, relaxedPod)
  plan.log.push({ host: bin, podClass, relaxedPod, count: 1, countedAs: bin.narrowedTemplate })
  order.moved(bin)
  search.active.placed(podClass, relaxedPod)
  if (isNarrower) plan.version++
}

/** Records the pods of the bin, `sign` times. A machine that is held to fewer domains than before counts in these domains alone. */
function recordAll(bin: Bin, sign: 1 | -1): void {
  for (const { podClass, relaxedPod, count } of bin.contents) record(bin, podClass, relaxedPod, sign * count)
}

/** The price of the cheapest size. An unknown price counts as zero. */
function priceAt({ narrowedTemplate, cursor }: Fit): number {
  return narrowedTemplate.best[cursor]?.price ?? 0
}

const NOTHING_HELD: ReadonlySet<string> = new Set()
const NO_RULES: readonly DomainFilter[] = []
