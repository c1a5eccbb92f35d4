/** Finds the objects that a decision fails with, by deciding about parts of the cluster. */
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { LeftOut } from '../../model/decision.ts'
import { type Member, membersOf, withMembers } from './members.ts'
import { withProbe } from './probe.ts'

/**
 * The most decisions about parts of the cluster in one search. Each object that is left out takes about twice the logarithm of the number of objects:
 * the tries suffice for four objects of 10,000. Objects that have not been tried then are left out as well.
 */
const MOST_TRIES = 120
const NOT_TRIED = 'too many objects fail, and this object was not tried'

export type FailingMember = LeftOut & Member

export type Failing = { readonly kept: readonly Member[]; readonly failing: readonly FailingMember[] }

/** `decide`: throws if it fails. Undefined if the decision fails without any object. */
export function failingIn(snapshot: ClusterSnapshot, decide: (part: ClusterSnapshot) => unknown): Failing | undefined {
  function failureOf(members: readonly Member[]): string | undefined {
    try {
      const part = withMembers(snapshot, members)
      decide(part)
      if (part.objects.pod.length === 0) decide(withProbe(part))
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Splits the members into those that can be decided about together, and those that cannot be added to them. */
  function split(members: readonly Member[]): Failing {
    const failing: FailingMember[] = []
    let tries = 0
    return { kept: addable([], members, false), failing }

    /** Returns those of `more` that can be added. `isKnownToFail`: not all of them can. */
    function addable(base: readonly Member[], more: readonly Member[], isKnownToFail: boolean): readonly Member[] {
      const [first, ...others] = more
      if (first === undefined) return more
      if (tries >= MOST_TRIES) {
        for (const member of more) failing.push({ ...member, failure: NOT_TRIED })
        return []
      }
      const isAlone = others.length === 0
      const isTried = isAlone || !isKnownToFail
      if (isTried) tries++
      const failure = isTried ? failureOf([...base, ...more]) : ''
      if (failure === undefined) return more
      if (isAlone) {
        failing.push({ ...first, failure })
        return []
      }
      const half = more.length >> 1
      const left = addable(base, more.slice(0, half), false)
      return [...left, ...addable([...base, ...left], more.slice(half), left.length === half)]
    }
  }

  /** Fewer objects to leave out: those that one of the failing objects fails with, if it does not fail alone. */
  function fewer(members: readonly Member[], known: Failing): Failing {
    const shown = known.failing.find(({ value }) => failureOf(members.filter((each) => each.value === value)) === undefined)
    if (shown === undefined) return known
    const rest = members.filter(({ value }) => value !== shown.value)
    const causes = split([...members.filter(({ value }) => value === shown.value), ...rest]).failing
    const values = new Set(causes.map(({ value }) => value))
    const others = split(members.filter(({ value }) => !values.has(value)))
    const failing = [...causes, ...others.failing]
    return failing.length < known.failing.length ? { kept: others.kept, failing } : known
  }

  if (failureOf([]) !== undefined) return undefined
  const members = membersOf(snapshot)
  const found = split(members)
  return found.failing.length > 1 ? fewer(members, found) : found
}
