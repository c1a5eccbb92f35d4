/**
 * Which choices of domains lead to a dead end. Several spreads of the same pods depend on each other where some combinations of their domains cannot
 * be bought, such as spot in one zone. The choice that suits each spread now can then leave no domain that suits all of them later.
 *
 * A spread looks at counts above its least count alone. So the counts of the spreads of a class take few different forms, however many pods wait.
 * Each form has the forms that one more pod makes of it. From a form that some pod leads back to, pods can go on for ever. From any other form, the
 * longest way is their number of pods.
 */

import { leastOf } from '../../../../base/lists.ts'
import { domainsOfSpread } from '../../model/neighbours/domainFilters.ts'
import { isCounted, type PodClass, type RelaxedPod } from '../../model/pods/constraint.ts'
import { DEEPEST_LOOK, MOST_COMBINATIONS, MOST_FORMS } from '../../model/quantities/tuning.ts'
import { isSpent, type Spending } from '../../model/quantities/work.ts'
import { isLookedAt, mayPass } from '../../model/topology/inverseAntiAffinity.ts'
import { countOf, type TopologyGroup } from '../../model/topology/topologyGroup.ts'
import type { Branch, Choices } from './choices.ts'

/** How many pods of the class can follow a pod that goes to the branch. Infinite if there is no end, or none was found within bounds. */
export type Lookahead = (branch: Branch) => number

/** Counts by spread, then by domain. `selected` are certain, `most` is the most that may come to be counted. */
type Counts = { readonly selected: Int32Array; readonly most: Int32Array }[]

/** A spread with its domains by index. `ruling`: the domains whose least count binds the spread. No domain if that count is always 0. */
type Rule = {
  readonly group: TopologyGroup
  readonly domains: readonly string[]
  readonly ruling: readonly number[]
  readonly room: number
}

/** A combination of domains: the index of the domain for each spread, and what a pod there adds to its counts. */
type Cell = { readonly domains: readonly number[]; readonly adds: readonly ('selected' | 'most' | 'nothing')[] }

/**
 * Undefined if other rules of the class depend on where its pods go, if only one spread does, or if there are too many combinations of domains. If the
 * budget is spent, no end is found any more.
 */
export function lookaheadFor(
  podClass: PodClass,
  relaxedPod: RelaxedPod,
  keys: readonly string[],
  choices: Choices,
  spending: Spending,
): Lookahead | undefined {
  const spreads = relaxedPod.spread.filter(({ isHost }) => !isHost)
  if (spreads.length < 2 || hasOtherRules(podClass, relaxedPod)) return undefined
  const rules = spreads.map((group) => ruleOf(group, podClass))
  const cells = new Map<Branch, Cell | undefined>()
  for (const branch of leavesOf(choices, choices.root, keys)) {
    if (cells.size >= MOST_COMBINATIONS) return undefined
    cells.set(branch, cellOf(branch, choices, podClass, rules))
  }
  const usable = [...cells.values()].filter((cell) => cell !== undefined)
  const followers = createFollowers(rules, usable, spending)
  return (branch) => {
    const cell = cells.get(branch)
    return cell === undefined || isSpent(spending) ? Number.POSITIVE_INFINITY : followers(after(countsNow(rules), cell))
  }
}

/** Rules over wide domains besides spreads, which own pods change. */
function hasOtherRules(podClass: PodClass, { affinity, antiAffinity, owned }: RelaxedPod): boolean {
  const isChanged = (group: TopologyGroup): boolean => !group.isHost && (isCounted(podClass, group) || owned.includes(group))
  return [...affinity, ...antiAffinity, ...podClass.repelledBy].some(isChanged)
}

function ruleOf(group: TopologyGroup, podClass: PodClass): Rule {
  const domains = [...group.known].sort()
  const ruling = domainsOfSpread(group)
  const isZero = ruling.length < group.minDomains
  return {
    group,
    domains,
    ruling: isZero ? [] : ruling.map((domain) => domains.indexOf(domain)),
    room: group.maxSkew - (isCounted(podClass, group) ? 1 : 0),
  }
}

function* leavesOf(choices: Choices, branch: Branch, [key, ...others]: readonly string[]): Iterable<Branch> {
  if (key === undefined) yield branch
  else for (const { chosen } of choices.domains(branch, key)) yield* leavesOf(choices, chosen, others)
}

/** Undefined if a spread does not know the domain: no pod may go there. */
function cellOf(branch: Branch, choices: Choices, podClass: PodClass, rules: readonly Rule[]): Cell | undefined {
  const host = choices.host(branch)
  const domains = rules.map((rule) => rule.domains.indexOf(branch.pins.get(rule.group.key) ?? ''))
  if (host === undefined || domains.includes(-1)) return undefined
  const adds = rules.map(({ group }): Cell['adds'][number] => {
    if (!isCounted(podClass, group)) return 'nothing'
    if (isLookedAt(host, group.filter)) return 'selected'
    return group.countsPossible && mayPass(host, group.filter) ? 'most' : 'nothing'
  })
  return { domains, adds }
}

function countsNow(rules: readonly Rule[]): Counts {
  return rules.map(({ group, domains }) => {
    const selected = Int32Array.from(domains, (domain) => countOf(group.selected, domain))
    return { selected, most: selected.map((count, at) => count + countOf(group.possible, domains[at] ?? '')) }
  })
}

function after(counts: Counts, { domains, adds }: Cell): Counts {
  return counts.map((each, at) => {
    const add = adds[at]
    const domain = domains[at] ?? 0
    if (add === undefined || add === 'nothing') return each
    const plusOne = (count: number, index: number): number => (index === domain ? count + 1 : count)
    return { selected: add === 'selected' ? each.selected.map(plusOne) : each.selected, most: each.most.map(plusOne) }
  })
}

/** Counts above the least count. They decide all that follows. */
function formOf(counts: Counts, rules: readonly Rule[]): { readonly counts: Counts; readonly text: string } {
  const above = counts.map(({ selected, most }, at) => {
    const least = leastAmong(selected, rules[at]?.ruling ?? [])
    return { selected: selected.map((count) => count - least), most: most.map((count) => count - least) }
  })
  return { counts: above, text: above.map(({ selected, most }) => `${selected.join()};${most.join()}`).join(' ') }
}

function leastAmong(counts: Int32Array, among: readonly number[]): number {
  return among.length === 0 ? 0 : leastOf(among.map((at) => counts[at] ?? 0))
}

/** Returns a function that says how many pods can follow these counts. Its answers are remembered by form. */
function createFollowers(rules: readonly Rule[], cells: readonly Cell[], spending: Spending): (counts: Counts) => number {
  const known = new Map<string, number>()
  const size = rules.reduce((sum, { domains }) => sum + domains.length, 0)

  /** Counts are above the least count, so the least count is 0. */
  function allows(counts: Counts, { domains }: Cell): boolean {
    return rules.every(({ room }, at) => (counts[at]?.most[domains[at] ?? 0] ?? 0) <= room)
  }

  function follow(before: Counts, depth: number): number {
    spending.work.domains += size
    const { counts, text } = formOf(before, rules)
    const answer = known.get(text)
    if (answer !== undefined) return answer
    if (depth >= DEEPEST_LOOK || known.size >= MOST_FORMS || isSpent(spending)) return Number.POSITIVE_INFINITY
    // Until its answer is found, the form is on the way: a search that comes back to the form can go on for ever.
    known.set(text, Number.POSITIVE_INFINITY)
    spending.work.domains += rules.length * cells.length
    const heightOf = ({ domains }: Cell): number => domains.reduce((sum, domain, at) => sum + (counts[at]?.most[domain] ?? 0), 0)
    const next = cells.filter((cell) => allows(counts, cell)).map((cell) => ({ cell, height: heightOf(cell) }))
    let most = 0
    for (const { cell } of next.sort((one, other) => one.height - other.height)) {
      most = Math.max(most, 1 + follow(after(counts, cell), depth + 1))
      if (most === Number.POSITIVE_INFINITY) break
    }
    known.set(text, most)
    return most
  }

  return (counts) => follow(counts, 0)
}
