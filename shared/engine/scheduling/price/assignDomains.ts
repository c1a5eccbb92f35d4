/**
 * Chooses zones and the like before machines: as many pods of a class to each domain as its rules allow, so that what is then packed is
 * free of them. Follows the counts that the pods will make, pod by pod.
 */
import type { Plan, Start } from '../plan.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import { countOf } from '../topology/group.ts'
import { type Allowance, allowances, avoidedBy, record } from '../topology/rules.ts'
import { type Branch, type Choices, choicesOf, type Domain, domainsOf, hostFor, type Openable, waysLeft } from './choices.ts'
import { type Item, itemOf } from './items.ts'
import { hasRoom } from './machines.ts'
import { wishMaker } from './wishes.ts'

type Assigning = Openable & {
  /** Lighter pools that come after the starts: a pod gives nothing up while any of them takes it as it is. */
  readonly others: readonly Start[]
  readonly items: Item[]
  readonly wishOf: ReturnType<typeof wishMaker>
}

/** Pods of a class, and what they may choose after each step of giving up, as far as it has been asked. */
type Waiting = { readonly podClass: PodClass; readonly steps: Step[]; count: number }

type Step = { readonly choices: Choices; readonly isTakenElsewhere: boolean }

/** Pods that no domain takes now are left out. `later`: the starts, and lighter pools that come after them. */
export function assignDomains(
  { axes, left }: Pick<Plan, 'axes' | 'left'>,
  starts: readonly Start[],
  later: readonly Start[],
): readonly Item[] {
  const others = later.filter((start) => !starts.includes(start))
  const assigning: Assigning = { starts, others, axes, items: [], wishOf: wishMaker() }
  let waiting: readonly Waiting[] = [...left].flatMap(([podClass, count]) =>
    count > 0 && mayChoose(assigning, podClass) ? [{ podClass, steps: [], count }] : [],
  )
  for (let progress = true; progress && waiting.length > 0; ) {
    progress = false
    for (const each of waiting) if (assignClass(assigning, each)) progress = true
    waiting = waiting.filter(({ count }) => count > 0)
  }
  return assigning.items
}

/** What machines could serve does not change while domains are chosen: classes that have to be left out are known before. */
function mayChoose(assigning: Assigning, podClass: PodClass): boolean {
  const variant = firstPossible(assigning, podClass)
  return variant !== undefined && !isTogether(variant) && hasRoom(assigning.starts, podClass, variant, assigning.axes)
}

function firstPossible({ starts, others, axes }: Assigning, podClass: PodClass): Variant | undefined {
  return podClass.variants.find((variant) => hasRoom(starts, podClass, variant, axes) || hasRoom(others, podClass, variant, axes))
}

/** Pods that must share a machine with others are left to be placed one after another. */
function isTogether({ affinity }: Variant): boolean {
  return affinity.some((group) => group.isHost)
}

/** True when at least one pod found its domains. */
function assignClass(assigning: Assigning, waiting: Waiting): boolean {
  const { podClass, count } = waiting
  const variant = firstPossible(assigning, podClass)
  const free = variant === undefined ? undefined : choicesOf(podClass, variant)
  if (free?.keys.length === 0) {
    add(assigning, free, free.root, count)
    waiting.count = 0
    return true
  }
  while (waiting.count > 0) {
    const choice = chooseFor(assigning, waiting)
    if (choice === undefined) break
    const { choices, branch } = choice
    add(assigning, choices, branch, 1)
    waiting.count--
    const host = hostFor(assigning, choices, branch)
    if (host !== undefined) record(host, podClass, choices.variant)
  }
  return waiting.count < count
}

function add({ items, wishOf }: Assigning, { podClass, variant }: Choices, branch: Branch, count: number): void {
  if (branch.item === undefined) {
    branch.item = itemOf(items.length, podClass, variant, wishOf(variant.constraint, branch.pins), 0)
    items.push(branch.item)
  }
  branch.item.count += count
}

type Choice = { readonly choices: Choices; readonly branch: Branch }

function chooseFor(assigning: Assigning, waiting: Waiting): Choice | undefined {
  const { podClass, steps } = waiting
  for (let at = 0; at < podClass.variants.length; at++) {
    const variant = podClass.variants[at]
    if (variant === undefined || isTogether(variant)) return undefined
    steps[at] ??= stepOf(assigning, podClass, variant)
    const { choices, isTakenElsewhere } = steps[at] ?? stepOf(assigning, podClass, variant)
    const branch = pinAll(assigning, choices, allowances(podClass, variant), choices.root, 0)
    if (branch !== undefined) return { choices, branch }
    if (isTakenElsewhere) return undefined
  }
  return undefined
}

function stepOf({ others, axes }: Assigning, podClass: PodClass, variant: Variant): Step {
  return { choices: choicesOf(podClass, variant), isTakenElsewhere: hasRoom(others, podClass, variant, axes) }
}

/**
 * One label after another. Pods that are spread go where fewest are; others, who merely count, go where it is cheapest first. Of equals
 * comes first what can be had in the fewest ways. A choice that leaves a later label nothing is taken back.
 */
function pinAll(openable: Openable, choices: Choices, rules: readonly Allowance[], branch: Branch, depth: number): Branch | undefined {
  const key = choices.keys[depth]
  if (key === undefined) return branch
  const ofKey = rules.filter(({ group }) => group.key === key)
  const allowed = domainsOf(openable, choices, branch, key).filter(({ domain }) => ofKey.every((rule) => rule.allows(domain)))
  for (const { chosen } of allowed.length > 1 ? inOrderOfChoice(openable, choices, key, allowed) : allowed) {
    const found = pinAll(openable, choices, rules, chosen, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function inOrderOfChoice(openable: Openable, choices: Choices, key: string, allowed: readonly Domain[]): readonly Domain[] {
  const { podClass, variant, keys } = choices
  const ruling = choices.ruling.get(key)
  const isSpread = variant.spread.some((group) => group.key === key)
  const ranked = allowed.map((each) => ({
    each,
    price: isSpread ? 0 : each.price,
    count: ruling === undefined ? -avoidedBy(podClass, key, each.domain) : countOf(ruling.selected, each.domain),
    ways: keys.length > 1 ? waysLeft(openable, choices, key, each.domain) : 0,
  }))
  return ranked
    .sort((first, second) => first.price - second.price || first.count - second.count || first.ways - second.ways)
    .map(({ each }) => each)
}
