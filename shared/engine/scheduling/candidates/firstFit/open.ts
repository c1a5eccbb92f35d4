/** Claims that take a pod: an open claim, or else a new one. */
import { ownValue, setOwnValue } from '../../../../base/values.ts'
import { NO_RESOURCES, type Resources } from '../../../../model/resources.ts'
import { isWithin, machineOf } from '../../model/catalog/limits.ts'
import { largestCapacityOf, type Opening, withConstraint } from '../../model/catalog/narrowedTemplate.ts'
import { minimumsOf, relaxed, shortagesOf } from '../../model/catalog/sizePrices.ts'
import type { InstanceTypeOption } from '../../model/catalog/template.ts'
import { type DomainFilter, reachOf } from '../../model/neighbours/domainFilters.ts'
import { type Bin, type BinStart, type Fit, openBin, survivorsOf } from '../../model/nodes/bin.ts'
import type { PodClass, RelaxedPod } from '../../model/pods/constraint.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import type { NodePoolOption, Plan } from '../plan.ts'
import { reservationsFor } from '../reservations.ts'
import { type No, tryBin } from './place.ts'
import { createQueue, type LazyQueue } from './queues.ts'

/** The claims of a plan, in the order in which they are asked, and whether new ones may be opened. */
type Claims = { readonly plan: Plan; readonly order: BinOrder; readonly opens: boolean }

type Opened = { readonly bin: Bin; readonly fit: Fit }

export type FoundClaim = Opened & { readonly isNew: boolean }

/** An open claim, or else a new one. `waits`: there would be a new claim if claims may be opened. `postponed`: see `openFor`. */
export function findClaim(
  claims: Claims,
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  rules: readonly DomainFilter[],
): FoundClaim | 'waits' | 'postponed' | undefined {
  const { plan, opens } = claims
  const open = findBin(claims, podClass, relaxedPod, rules)
  if (open !== undefined) return { ...open, isNew: false }
  if (!opens) return couldOpen(plan, podClass, relaxedPod, rules) ? 'waits' : undefined
  const opened = openFor(plan, podClass, relaxedPod, rules)
  return typeof opened === 'object' ? { ...opened, isNew: true } : opened
}

/** Up to so many pools it pays to compare the template of a claim first. */
const FEW_POOL_OPTIONS = 16

function findBin({ plan, order }: Claims, podClass: PodClass, relaxedPod: RelaxedPod, rules: readonly DomainFilter[]): Opened | undefined {
  let fit: Fit | undefined
  const usable = plan.everyPoolOptionFor(relaxedPod.constraint)
  if (usable.every(({ narrowedTemplate }) => withConstraint(narrowedTemplate, relaxedPod.constraint) === undefined)) return undefined
  const templates = usable.length > FEW_POOL_OPTIONS ? undefined : new Set(usable.map(({ narrowedTemplate }) => narrowedTemplate.template))
  const bin = order.find(relaxedPod.id, rules, (candidate) => {
    plan.work.claims++
    if (templates !== undefined && !templates.has(candidate.narrowedTemplate.template)) return 'never'
    const answer = tryBin(candidate, podClass, relaxedPod, rules, plan.commitment)
    if (typeof answer === 'string') return answer
    if (reservationsFor(plan, candidate, answer, podClass) === undefined) return 'notNow'
    fit = answer
    return 'fits'
  })
  return bin === undefined || fit === undefined ? undefined : { bin, fit }
}

/**
 * A new claim of the first pool that takes the pod. `postponed`: this pool has reserved capacity for the pod, which other claims hold now. Undefined
 * if no pool takes the pod.
 */
function openFor(plan: Plan, podClass: PodClass, relaxedPod: RelaxedPod, rules: readonly DomainFilter[]): Opened | 'postponed' | undefined {
  for (const poolOption of plan.poolOptionsFor(relaxedPod.constraint)) {
    const opened = openIn(plan, poolOption, podClass, relaxedPod, rules)
    if (opened !== undefined) return opened
  }
  return undefined
}

/** Reports whether some pool could make a machine for the pod, now or once other claims no longer hold its reserved capacity. */
export function couldOpen(plan: Plan, podClass: PodClass, relaxedPod: RelaxedPod, rules: readonly DomainFilter[]): boolean {
  return plan
    .poolOptionsFor(relaxedPod.constraint)
    .some((poolOption) => startIn(plan, poolOption, podClass, relaxedPod, rules) !== undefined)
}

/** If one domain must be picked, a new machine is tried in each. The cost of each domain, counted in domains that a rule is asked about. */
const SETTLING = 8

/** Opens a claim of the pool option. Takes the largest capacity that the claim may get from the limits, since its size is still open. */
function openIn(
  plan: Plan,
  poolOption: NodePoolOption,
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  rules: readonly DomainFilter[],
): Opened | 'postponed' | undefined {
  plan.work.domains += SETTLING * reachOf(rules.filter(({ picksOne }) => picksOne))
  const start = startIn(plan, poolOption, podClass, relaxedPod, rules)
  if (start === undefined || start === 'postponed') return start
  const { candidate, fit, opening } = start
  if (opening === undefined) return { bin: candidate, fit }
  const { minimums, charge } = opening
  const bin = nextBin(plan, { narrowedTemplate: poolOption.narrowedTemplate, ceiling: candidate.ceiling, minimums, charge })
  poolOption.limits.take(charge)
  return { bin, fit }
}

/** `opening`: undefined for a pool without `minValues` and limits. */
type Start = { readonly candidate: Bin; readonly fit: Fit; readonly opening: Opening | undefined }

/** How a claim of the pool option would begin with the pod. Undefined if there can be none. */
function startIn(
  plan: Plan,
  poolOption: NodePoolOption,
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  rules: readonly DomainFilter[],
): Start | 'postponed' | undefined {
  const candidate = nextBin(plan, startOf(poolOption))
  const fit = tryBin(candidate, podClass, relaxedPod, rules, plan.commitment)
  if (fit === 'never' || fit === 'notNow') return undefined
  if (reservationsFor(plan, candidate, fit, podClass) === undefined) return 'postponed'
  const { limits, narrowedTemplate } = poolOption
  if (!narrowedTemplate.template.hasMinValues && limits.left === undefined) return { candidate, fit, opening: undefined }
  const opening = openingOf(poolOption, candidate, fit, podClass)
  return plan.isStrict && opening.isShort ? undefined : { candidate, fit, opening }
}

/** How the claim opens with the pod. While limits do not bind, every claim that begins with a pod of these amounts begins alike. */
function openingOf({ limits }: NodePoolOption, candidate: Bin, { narrowedTemplate }: Fit, { amounts }: PodClass): Opening {
  const known = candidate.ceiling === undefined ? narrowedTemplate.openings.get(amounts) : undefined
  if (known !== undefined) return known
  const sizes = survivorsOf(candidate, narrowedTemplate, amounts)
  const asked = minimumsOf(narrowedTemplate.template.requirements)
  const shortages = shortagesOf(asked, narrowedTemplate, sizes)
  const opening: Opening = {
    isShort: shortages.length > 0,
    minimums: relaxed(asked, shortages),
    charge: machineOf(mostOf(sizes, limits.left)),
  }
  if (candidate.ceiling === undefined) narrowedTemplate.openings.set(amounts, opening)
  return opening
}

export function nextBin({ bins, axes, newDaemons }: Plan, start: BinStart): Bin {
  const bin = openBin(bins.length, start, axes)
  newDaemons?.(bin)
  return bin
}

/** The most that any of the sizes has of each limited resource. */
function mostOf(sizes: readonly InstanceTypeOption[], limited: Resources | undefined): Resources {
  const most: { [name: string]: number } = {}
  for (const name in limited)
    for (const { type } of sizes) setOwnValue(most, name, Math.max(ownValue(most, name) ?? 0, ownValue(type.capacity, name) ?? 0))
  return most
}

function startOf({ narrowedTemplate, limits }: NodePoolOption): BinStart {
  const isTight = !isWithin(largestCapacityOf(narrowedTemplate), limits.left)
  const ceiling = limits.left === undefined || !isTight ? undefined : { ...limits.left }
  return { narrowedTemplate, minimums: new Map(), ceiling, charge: NO_RESOURCES }
}

/**
 * Open claims, those with the fewest pods first. Among claims with equally many pods, a claim that just gained a pod comes first and a new claim
 * comes last. Karpenter's repeated stable sort has the same result.
 */
export interface BinOrder {
  /** Must be called when a bin is opened, and after each pod that it gains. */
  moved(bin: Bin): void
  /** The first bin that the test accepts. A bin that answers `never` is not shown to this asker again. */
  find(asker: number, rules: readonly DomainFilter[], test: (bin: Bin) => 'fits' | No): Bin | undefined
}

/** Ranks are whole numbers. The number of pods weighs more than the time of the last pod. */
const PER_POD = 2 ** 33
const LATEST = 2 ** 32

export function createBinOrder(bins: readonly Bin[]): BinOrder {
  /** By id of the bin. A rank grows with every pod. */
  const ranks: number[] = []
  const views = new Map<number, View>()
  const rankOf = (id: number): number => ranks[id] ?? 0
  let moves = 0

  function moved({ id, podCount }: Bin): void {
    moves++
    ranks[id] = podCount * PER_POD + (podCount === 1 ? moves : LATEST - moves)
  }

  for (const bin of bins) moved(bin)

  function viewOf(asker: number): View {
    const known = views.get(asker)
    if (known !== undefined) return known
    const view: View = { queue: createQueue(rankOf), parked: new Map() }
    views.set(asker, view)
    return view
  }

  return {
    moved,
    find(asker, rules, test) {
      const view = viewOf(asker)
      const { queue } = view
      queue.extend(bins.length)
      for (const rule of rules) unpark(view, rule)
      const later: number[] = []
      let found: Bin | undefined
      for (let id = queue.first(); id >= 0; id = queue.first()) {
        const bin = bins[id]
        const answer = bin === undefined ? 'never' : test(bin)
        if (answer === 'fits') {
          found = bin
          break
        }
        queue.dropFirst()
        if (answer === 'notNow' && bin !== undefined && !park(view, bin, rules)) later.push(id)
      }
      for (const id of later) queue.add(id)
      return found
    },
  }
}

/** The bins of one asker. `queue`: the bins to ask. `parked`: bins in domains that a rule does not allow now, by group and domain. */
type View = { readonly queue: LazyQueue; readonly parked: Map<TopologyGroup, Map<string, number[]>> }

/** Puts bins back into the queue if the rule allows their domain again. */
function unpark({ queue, parked }: View, { group, allows }: DomainFilter): void {
  const ofGroup = parked.get(group)
  if (ofGroup === undefined) return
  for (const [domain, ids] of ofGroup) {
    if (!allows(domain)) continue
    for (const id of ids) queue.add(id)
    ofGroup.delete(domain)
  }
}

/** Parks a bin in a domain that a rule does not allow now: it need not be asked. Returns false if no rule refuses its domain. */
function park({ parked }: View, bin: Bin, rules: readonly DomainFilter[]): boolean {
  for (const { group, allows } of rules) {
    const domain = group.isHost ? undefined : bin.domainOf(group.key)
    if (domain === undefined || allows(domain)) continue
    const ofGroup = parked.get(group) ?? new Map<string, number[]>()
    parked.set(group, ofGroup)
    const ids = ofGroup.get(domain)
    if (ids === undefined) ofGroup.set(domain, [bin.id])
    else ids.push(bin.id)
    return true
  }
  return false
}
