/**
 * How Karpenter holds an open claim to domains: every rule for itself, by what is counted. Whether anything can be bought there is seen
 * after.
 */
import { has, type Requirement } from '../../../model/requirements.ts'
import { withValues } from '../catalog/combination.ts'
import { type Bin, type Fit, fitIn } from '../hosts/bin.ts'
import type { PodClass } from '../pods/podClass.ts'
import { countOf } from '../topology/group.ts'
import type { Allowance } from '../topology/rules.ts'

/** Undefined: two rules chose what has nothing in common, or no size serves there. Another choice is not looked for. */
export function chosenByEach(bin: Bin, { combination, cursor }: Fit, podClass: PodClass, rules: readonly Allowance[]): Fit | undefined {
  let narrowed = combination
  for (const key of new Set(rules.flatMap(({ group }) => (group.isHost ? [] : [group.key])))) {
    const own = combination.requirements.get(key)
    const [first = [], ...others] = rules.filter(({ group }) => group.key === key).map((rule) => choiceOf(rule, own))
    const values = first.filter((domain) => others.every((each) => each.includes(domain)))
    const left = values.length === 0 ? undefined : withValues(narrowed, { key, complement: false, values: values.sort() })
    if (left === undefined) return undefined
    narrowed = left
  }
  return narrowed === combination ? { combination, cursor } : fitIn(bin, narrowed, podClass)
}

/** One domain where the next pod could not go to any other: that with the fewest pods, of equals the first by name. */
function choiceOf({ group, picksOne, known, perhaps = NONE, allows }: Allowance, own: Requirement | undefined): readonly string[] {
  const allowed = [...known].filter((domain) => (own === undefined || has(own, domain)) && allows(domain))
  if (!picksOne) return allowed
  const countAt = (domain: string): number => countOf(group.selected, domain) + countOf(perhaps, domain)
  return allowed.sort((first, second) => countAt(first) - countAt(second) || (first < second ? -1 : 1)).slice(0, 1)
}

const NONE: ReadonlyMap<string, number> = new Map()
