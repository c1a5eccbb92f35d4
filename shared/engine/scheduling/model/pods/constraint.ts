import { canonicalJson } from '../../../../base/canonicalJson.ts'
import type { NodePoolName, ObjectKey } from '../../../../model/ids.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { HostPort } from '../../../../model/pod.ts'
import type { ProblemCode } from '../../../../model/problem.ts'
import { intersectAll, type Requirements } from '../../../../model/requirements.ts'
import type { Toleration } from '../../../../model/taint.ts'
import type { EpochMs } from '../../../../model/units.ts'

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
  /** NodePools that make no claim for the pods, since the API server refuses it. Pods may run on nodes of these. */
  readonly refusals: readonly PoolRefusal[]
  /** True if it selects by host name. It may then tell machines apart that differ in nothing but their names. */
  readonly asksName: boolean
  /** Each alternative as a constraint of its own. Empty if there is only one. */
  readonly ways: readonly Constraint[]
}

/** Why a NodePool makes no claim for pods: of `until`, the claim is tried again then. */
export type PoolRefusal = {
  readonly pool: NodePoolName
  readonly code: Extract<ProblemCode, 'SCHEDULING.CLAIM_INVALID' | 'SCHEDULING.CLAIM_REFUSED' | 'SCHEDULING.MIN_VALUES'>
  readonly message: string
  readonly until?: EpochMs
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
  /** The same constraint, without claims of these NodePools. */
  refusedBy(constraint: Constraint, refusals: readonly PoolRefusal[]): Constraint
  readonly count: number
}

export function createConstraints(): Constraints {
  const known = new Map<string, Constraint>()
  function make(parts: Omit<Constraint, 'id' | 'asksName' | 'ways'>): Constraint {
    const { tolerations, alternatives, hostPorts, apartFrom, refusals } = parts
    const more = refusals.length === 0 ? [] : [refusals]
    const text = canonicalJson([tolerations, alternatives.map((each) => [...each.values()]), hostPorts, apartFrom, ...more])
    const same = known.get(text)
    if (same !== undefined) return same
    const ways = alternatives.length > 1 ? alternatives.map((each) => make({ ...parts, alternatives: [each] })) : []
    const asksName = alternatives.some((each) => each.has(LABEL.hostname))
    const made = { id: known.size, tolerations, alternatives, hostPorts, apartFrom, refusals, asksName, ways }
    known.set(text, made)
    return made
  }
  return {
    of({ wanted, places, ...parts }) {
      const alternatives = wanted.flatMap((own) => places.map((place) => intersectAll(own, place)))
      return make({ ...parts, alternatives, refusals: NO_REFUSALS })
    },
    refusedBy: (constraint, refusals) => (refusals.length === 0 ? constraint : make({ ...constraint, refusals })),
    get count() {
      return known.size
    },
  }
}

const NO_REFUSALS: readonly PoolRefusal[] = []
