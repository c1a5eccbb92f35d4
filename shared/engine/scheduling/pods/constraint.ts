import { canonicalJson } from '../../../base/canonicalJson.ts'
import { LABEL } from '../../../model/labels.ts'
import type { HostPort } from '../../../model/pod.ts'
import { intersectAll, type Requirements } from '../../../model/requirements.ts'
import type { Toleration } from '../../../model/taint.ts'
import type { VolumeNeeds } from './volumes.ts'

/** Where a pod may run, apart from its size and its neighbours. Equal ones share an id. */
export type Constraint = {
  readonly id: number
  readonly tolerations: readonly Toleration[]
  /** Any of these must be met: what pod and volumes ask of the node's labels. */
  readonly alternatives: readonly Requirements[]
  /** Ports it takes on its machine: daemons may hold them. */
  readonly hostPorts: readonly HostPort[]
  /** It may tell machines apart that differ in nothing but their names. */
  readonly asksName: boolean
  /** Each alternative alone. Empty when there is only one. */
  readonly ways: readonly Constraint[]
}

export type ConstraintParts = {
  readonly tolerations: readonly Toleration[]
  /** Alternatives of the pod itself, each with the labels it prefers as long as it does. */
  readonly wanted: readonly Requirements[]
  readonly volumes: VolumeNeeds
  readonly hostPorts: readonly HostPort[]
}

/** Makes constraints, and gives equal ones the same id for as long as it is there. */
export interface Constraints {
  of(parts: ConstraintParts): Constraint
  readonly count: number
}

export function createConstraints(): Constraints {
  const known = new Map<string, Constraint>()
  function make(tolerations: readonly Toleration[], alternatives: readonly Requirements[], hostPorts: readonly HostPort[]): Constraint {
    const text = canonicalJson([tolerations, alternatives.map((each) => [...each.values()]), hostPorts])
    const same = known.get(text)
    if (same !== undefined) return same
    const ways = alternatives.length > 1 ? alternatives.map((each) => make(tolerations, [each], hostPorts)) : []
    const asksName = alternatives.some((each) => each.has(LABEL.hostname))
    const made = { id: known.size, tolerations, alternatives, hostPorts, asksName, ways }
    known.set(text, made)
    return made
  }
  return {
    of({ tolerations, wanted, volumes, hostPorts }) {
      const alternatives = wanted.flatMap((own) => volumes.alternatives.map((place) => intersectAll(own, place)))
      return make(tolerations, alternatives, hostPorts)
    },
    get count() {
      return known.size
    },
  }
}
