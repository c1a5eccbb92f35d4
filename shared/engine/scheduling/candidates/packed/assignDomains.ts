/**
 * Chooses domains, such as zones, before machines are packed. Each domain gets as many pods of a class as the rules allow. So packing need not look
 * at these rules. The counts follow the pods one by one.
 */

import { withConstraint } from '../../model/catalog/narrowedTemplate.ts'
import {
  byDomainChoice,
  countsFor,
  crowdOf,
  type DomainFilter,
  domainFilters,
  reachOf,
  record,
} from '../../model/neighbours/domainFilters.ts'
import type { Constraint, PodClass, RelaxedPod } from '../../model/pods/constraint.ts'
import type { Amounts } from '../../model/quantities/amounts.ts'
import { isSpent, type Spending, type Work } from '../../model/quantities/work.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import { type ActiveQueue, createActiveQueue } from '../firstFit/queues.ts'
import type { NodePoolOption, Plan } from '../plan.ts'
import { type Branch, type Choices, choicesIn, type Domain, leastPrice, wishMaker } from './choices.ts'
import { type Item, itemOf } from './items.ts'
import { type Lookahead, lookaheadFor } from './lookahead.ts'

type Assigning = {
  /** Reports whether some machine of the pool options holds a pod. `isTakenElsewhere`: the same for lighter pools that come after them. */
  readonly isTaken: HasRoom
  readonly isTakenElsewhere: HasRoom
  readonly choicesOf: ReturnType<typeof choicesIn>
  readonly wishOf: ReturnType<typeof wishMaker>
  readonly items: Item[]
  /** When the budget is spent, first fit places the pods that are left. */
  readonly spending: Spending
  readonly looksAhead: boolean
}

/** Waiting pods of a class. `steps`: what each relaxed pod can choose, filled in when it is first asked. */
type WaitingClass = { readonly podClass: PodClass; readonly steps: Step[]; count: number }

type Step = {
  readonly podClass: PodClass
  readonly relaxedPod: RelaxedPod
  /** Labels whose values matter to a rule of these pods, or to a rule that counts them. */
  readonly keys: readonly string[]
  readonly choices: Choices
  /** A lighter pool takes the pods as they are. */
  readonly isTakenElsewhere: boolean
  readonly items: Map<Branch, Item>
  /** How many pods can follow one on a branch. Undefined if any number can, as far as is asked. */
  readonly followers: Lookahead | undefined
}

/**
 * Returns the pods as items with their domains. Pods that no domain takes now are left out. `isLater`: reports whether a pool option is one of these
 * or belongs to a lighter pool. `looksAhead`: no domain is chosen that leaves fewer pods of the class a place than another domain, if
 * `Lookahead` can tell.
 */
export function assignDomains(
  { axes, left, work, budget }: Pick<Plan, 'axes' | 'left' | 'work' | 'budget'>,
  poolOptions: readonly NodePoolOption[],
  isLater: (poolOption: NodePoolOption) => boolean,
  takersOf: Takers,
  looksAhead = false,
): readonly Item[] {
  const own = new Set(poolOptions)
  const assigning: Assigning = {
    isTaken: (amounts, constraint) => takersOf(amounts, constraint).some((poolOption) => own.has(poolOption)),
    isTakenElsewhere: (amounts, constraint) =>
      takersOf(amounts, constraint).some((poolOption) => !own.has(poolOption) && isLater(poolOption)),
    choicesOf: choicesIn(poolOptions, axes),
    wishOf: wishMaker(poolOptions, work),
    items: [],
    spending: { work, budget },
    looksAhead,
  }
  const row = [...left].flatMap(([podClass, count]): WaitingClass[] => (count > 0 ? [{ podClass, steps: [], count }] : []))
  const active = createActiveQueue(row.length)
  for (let at = active.next(); at >= 0 && !isSpent(assigning.spending); at = active.next()) {
    const waiting = row[at]
    if (waiting !== undefined && assignClass(assigning, waiting, active) && waiting.count > 0) active.sleep(at, waiting.podClass, true)
  }
  return assigning.items
}

type HasRoom = (amounts: Amounts, constraint: Constraint) => boolean

/** The pools that have a machine for a pod of these amounts under this constraint. */
export type Takers = (amounts: Amounts, constraint: Constraint) => readonly NodePoolOption[]

/** Remembers its answers: they do not change while domains are chosen. */
export function takersAmong({ poolOptionsFor, work }: Pick<Plan, 'poolOptionsFor' | 'work'>): Takers {
  const known = new Map<Amounts, Map<Constraint, readonly NodePoolOption[]>>()
  function find(amounts: Amounts, constraint: Constraint): readonly NodePoolOption[] {
    const asked = poolOptionsFor(constraint)
    work.joins += asked.length * (1 + constraint.ways.length)
    return asked.filter((poolOption) => holdsAnyWay(poolOption, amounts, constraint))
  }
  return (amounts, constraint) => {
    const ofSize = known.get(amounts) ?? new Map<Constraint, readonly NodePoolOption[]>()
    known.set(amounts, ofSize)
    const takers = ofSize.get(constraint) ?? find(amounts, constraint)
    ofSize.set(constraint, takers)
    return takers
  }
}

function holdsAnyWay({ narrowedTemplate }: NodePoolOption, amounts: Amounts, constraint: Constraint): boolean {
  return [constraint, ...constraint.ways].some((way) => {
    const combined = withConstraint(narrowedTemplate, way)
    return combined !== undefined && leastPrice(combined, amounts) !== undefined
  })
}

/** Reports whether the pods must share a machine with other pods. First fit places such pods. */
function isTogether({ affinity }: RelaxedPod): boolean {
  return affinity.some((group) => group.isHost)
}

/** Makes items of waiting pods. Returns false if something other than domains keeps the pods from these pool options. */
function assignClass(assigning: Assigning, waiting: WaitingClass, active: ActiveQueue): boolean {
  const { podClass, count } = waiting
  const { isTaken, isTakenElsewhere } = assigning
  const { amounts, relaxedPods } = podClass
  const at = relaxedPods.findIndex(({ constraint }) => isTaken(amounts, constraint) || isTakenElsewhere(amounts, constraint))
  const relaxedPod = relaxedPods[at]
  if (relaxedPod === undefined || isTogether(relaxedPod) || !isTaken(amounts, relaxedPod.constraint)) return false
  const step = stepAt(assigning, waiting, at, relaxedPod)
  if (step.keys.length === 0) {
    add(assigning, step, step.choices.root, count)
    waiting.count = 0
    return true
  }
  while (waiting.count > 0) {
    const choice = chooseFor(assigning, waiting)
    if (choice === undefined) break
    add(assigning, choice.step, choice.branch, 1)
    waiting.count--
    const host = choice.step.choices.host(choice.branch)
    if (host === undefined) continue
    record(host, podClass, choice.step.relaxedPod)
    assigning.spending.work.counts += countsFor(podClass, choice.step.relaxedPod)
    active.placed(podClass, choice.step.relaxedPod)
  }
  return true
}

function stepAt(assigning: Assigning, { podClass, steps }: WaitingClass, at: number, relaxedPod: RelaxedPod): Step {
  const known = steps[at]
  if (known !== undefined) return known
  const { choicesOf, isTakenElsewhere, looksAhead, spending } = assigning
  const { amounts } = podClass
  const { constraint } = relaxedPod
  const keys = keysOf(podClass, relaxedPod)
  const choices = choicesOf(constraint, amounts)
  const step: Step = {
    podClass,
    relaxedPod,
    keys,
    choices,
    isTakenElsewhere: isTakenElsewhere(amounts, constraint),
    items: new Map(),
    followers: looksAhead ? lookaheadFor(podClass, relaxedPod, keys, choices, spending) : undefined,
  }
  steps[at] = step
  return step
}

function keysOf({ counted }: PodClass, { spread, affinity, antiAffinity }: RelaxedPod): readonly string[] {
  const keys = new Set<string>()
  for (const groups of [spread, affinity, antiAffinity, counted]) for (const group of groups) if (!group.isHost) keys.add(group.key)
  return keys.size === 0 ? NO_KEYS : [...keys]
}

const NO_KEYS: readonly string[] = []

function add({ items, wishOf }: Assigning, step: Step, branch: Branch, count: number): void {
  const known = step.items.get(branch)
  if (known !== undefined) {
    known.count += count
    return
  }
  const { podClass, relaxedPod } = step
  const item = itemOf(items.length, podClass, relaxedPod, wishOf(relaxedPod.constraint, branch.pins), count)
  step.items.set(branch, item)
  items.push(item)
}

type DomainChoice = { readonly step: Step; readonly branch: Branch }

function chooseFor(assigning: Assigning, waiting: WaitingClass): DomainChoice | undefined {
  const { podClass } = waiting
  for (let at = 0; at < podClass.relaxedPods.length; at++) {
    const relaxedPod = podClass.relaxedPods[at]
    if (relaxedPod === undefined || isTogether(relaxedPod)) return undefined
    const step = stepAt(assigning, waiting, at, relaxedPod)
    const rules = domainFilters(podClass, relaxedPod)
    assigning.spending.work.domains += reachOf(rules)
    const branch = branchFor(step, rules, waiting.count - 1, assigning.spending.work)
    if (branch !== undefined) return { step, branch }
    if (step.isTakenElsewhere) return undefined
  }
  return undefined
}

/** The first choice that all the other pods can follow, or else the first of those that most of them can. */
function branchFor(step: Step, rules: readonly DomainFilter[], others: number, work: Work): Branch | undefined {
  const { choices, followers } = step
  const begin = { branch: choices.root, depth: 0, work }
  if (followers === undefined) return pinAll(step, rules, { ...begin, suits: always })
  let most = -1
  let best: Branch | undefined
  const enough = pinAll(step, rules, {
    ...begin,
    suits: (branch) => {
      const following = followers(branch)
      if (following > most) best = branch
      most = Math.max(most, following)
      return following >= others
    },
  })
  return enough ?? best
}

function always(): boolean {
  return true
}

type Pinned = { readonly branch: Branch; readonly depth: number; readonly work: Work; readonly suits: (branch: Branch) => boolean }

/** The cost of putting one domain in order, counted in domains that a rule is asked about. */
const PINNING = 6

/**
 * Pins one label after another, each in the order of choice. A choice that leaves no domain for a later label is taken back. Undefined if no choice
 * is left.
 */
function pinAll(step: Step, rules: readonly DomainFilter[], { branch, depth, work, suits }: Pinned): Branch | undefined {
  const key = step.keys[depth]
  if (key === undefined) return suits(branch) ? branch : undefined
  const ofKey = rules.filter(({ group }) => group.key === key)
  const domains = step.choices.domains(branch, key)
  work.domains += PINNING * domains.length
  const allowed = domains.filter(({ domain }) => ofKey.every((rule) => rule.allows(domain)))
  for (const { chosen } of allowed.length > 1 ? inOrderOfChoice(step, key, allowed) : allowed) {
    const found = pinAll(step, rules, { branch: chosen, depth: depth + 1, work, suits })
    if (found !== undefined) return found
  }
  return undefined
}

function inOrderOfChoice({ podClass, relaxedPod, keys, choices }: Step, key: string, allowed: readonly Domain[]): readonly Domain[] {
  const ruling = rulingGroup(key, podClass, relaxedPod)
  const isSpread = relaxedPod.spread.some((group) => group.key === key)
  const ranked = allowed.map((each) => ({
    each,
    price: isSpread ? 0 : each.price,
    count: crowdOf(ruling, podClass, key, each.domain),
    ways: keys.length > 1 ? choices.waysLeft(keys, key, each.domain) : 0,
    anyPrice: each.price,
  }))
  return ranked.sort(byDomainChoice).map(({ each }) => each)
}

/** The spread rule of these pods on the label, or else a spread rule that counts them. */
function rulingGroup(key: string, { counted }: PodClass, { spread }: RelaxedPod): TopologyGroup | undefined {
  const rules = (group: TopologyGroup): boolean => group.kind === 'spread' && group.key === key
  return spread.find(rules) ?? counted.find(rules)
}
