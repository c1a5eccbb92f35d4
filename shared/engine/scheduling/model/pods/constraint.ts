import { canonicalJson } from '../../../../base/canonicalJson.ts'
import type { ObjectKey } from '../../../../model/ids.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { HostPort } from '../../../../model/pod.ts'
import { intersectAll, type Requirements } from '../../../../model/requirements.ts'
import type { Toleration } from '../../../../model/taint.ts'

/** Where a pod may run, apart from its size and its neighbours. Equal ones share an id. */
export type Constraint = {
  readonly id: number
  readonly tolerations: readonly Toleration[]
  /** Any of these must be met: what pod and volumes ask of the node's labels. */
  readonly alternatives: readonly Requirements[]
  /** Ports it takes on its machine: daemons may hold them. */
  readonly hostPorts: readonly HostPort[]
  /** DaemonSets whose pods it must not share a machine with. */
  readonly apartFrom: readonly ObjectKey[]
  /** It may tell machines apart that differ in nothing but their names. */
  readonly asksName: boolean
  /** Each alternative alone. Empty when there is only one. */
  readonly ways: readonly Constraint[]
}

export type ConstraintParts = {
  readonly tolerations: readonly Toleration[]
  /** Alternatives of the pod itself, each with the labels it prefers as long as it does. */
  readonly wanted: readonly Requirements[]
  /** Alternatives of its volumes. */
  readonly places: readonly Requirements[]
  readonly hostPorts: readonly HostPort[]
  readonly apartFrom: readonly ObjectKey[]
}

/** Makes constraints, and gives equal ones the same id for as long as it is there. */
export interface Constraints {
  of(parts: ConstraintParts): Constraint
  readonly count: number
}

export function createConstraints(): Constraints {
  const known = new Map<string, Constraint>()
  function make(parts: Omit<Constraint, 'id' | 'asksName' | 'ways'>): Constraint {
    const { tolerations, alternatives, hostPorts, apartFrom } = parts
    const text = canonicalJson([tolerations, alternatives.map((each) => [...each.values()]), hostPorts, apartFrom])
    const same = known.get(text)
    if (same !== undefined) return same
    const ways = alternatives.length > 1 ? alternatives.map((each) => make({ ...parts, alternatives: [each] })) : []
    const asksName = alternatives.some((each) => each.has(LABEL.hostname))
    const made = { id: known.size, tolerations, alternatives, hostPorts, apartFrom, asksName, ways }
    known.set(text, made)
    return made
  }
  return {
    of({ wanted, places, ...parts }) {
      const alternatives = wanted.flatMap((own) => places.map((place) => intersectAll(own, place)))
      return make({ ...parts, alternatives })
    },
    get count() {
      return known.size
    },
  }
}
