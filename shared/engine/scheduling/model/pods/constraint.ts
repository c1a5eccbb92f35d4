import { canonicalJson } from '../../../../base/canonicalJson.ts'
import type { ObjectKey } from '../../../../model/ids.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { HostPort } from '../../../../model/pod.ts'
import { intersectAll, type Requirements } from '../../../../model/requirements.ts'
import type { Toleration } from '../../../../model/taint.ts'

/** Where a pod may run, apart from its size and its affinity rules. Equal constraints share an id. */
export type Constraint = {
  readonly id: number
  readonly tolerations: readonly Toleration[]
  /** The node labels that the pod and its volumes ask for. Any of these alternatives must be met. */
  readonly alternatives: readonly Requirements[]
  /** The host ports that it takes. Daemons of the machine may hold them already. */
  readonly hostPorts: readonly HostPort[]
  /** DaemonSets whose pods it must not share a machine with. */
  readonly apartFrom: readonly ObjectKey[]
  /** True if it selects by host name. It may then tell machines apart that differ in nothing but their names. */
  readonly asksName: boolean
  /** Each alternative as a constraint of its own. Empty if there is only one. */
  readonly ways: readonly Constraint[]
}

export type ConstraintParts = {
  readonly tolerations: readonly Toleration[]
  /** The alternatives of the pod itself, each with the preferred labels that are not given up yet. */
  readonly wanted: readonly Requirements[]
  /** The alternatives of its volumes. */
  readonly places: readonly Requirements[]
  readonly hostPorts: readonly HostPort[]
  readonly apartFrom: readonly ObjectKey[]
}

/** Makes constraints. Equal ones get the same id for as long as this object lives. */
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
