/** Places one pod: on existing targets, on open claims, on a new claim. Relaxes the pod after each failure. */
import type { Pod } from '../../shared/model/pod.ts'
import { type ExistingTarget, putOnExisting, tryExisting } from './existingTarget.ts'
import { type Remaining, takeFromLimits, withinLimits } from './limits.ts'
import { type OpenClaim, openClaim, putOnClaim, tryClaim } from './openClaim.ts'
import type { OracleOptions } from './oracleAnswer.ts'
import type { Pass } from './pass.ts'
import type { PodNeeds } from './podNeeds.ts'
import { relax } from './relax.ts'
import { isReservationProblem } from './reservations.ts'
import type { Template } from './templates.ts'

export type PlacementInput = {
  readonly pass: Pass
  readonly targets: readonly ExistingTarget[]
  readonly templates: readonly Template[]
  readonly remaining: Remaining
  /** The needs of a relaxed pod. `original` is the pod before relaxation. */
  readonly needsOf: (pod: Pod, original: Pod) => PodNeeds
  readonly mayBearSoftTaints: boolean
  readonly prefersClaim: OracleOptions['prefersClaim']
}

export interface Placement {
  /** Returns undefined, or the reason why the pod could not be placed. */
  place(pod: Pod): string | undefined
  claims(): readonly OpenClaim[]
}

export function createPlacement(input: PlacementInput): Placement {
  const { pass, targets, templates, remaining } = input
  const { topology, quirks } = pass
  const relaxesMinValues = pass.snapshot.settings.minValuesPolicy === 'BestEffort'
  let claims: OpenClaim[] = []
  let opened = 0

  function putAnywhere(needs: PodNeeds): string | undefined {
    if (needs.pod.resourceClaims.length > 0) return 'pod has Dynamic Resource Allocation requirements that are not yet supported'
    if (needs.volumes.problem !== undefined && quirks === 'fixed') return needs.volumes.problem
    for (const target of targets) {
      const requirements = tryExisting(target, needs, pass)
      if (typeof requirements === 'string') continue
      putOnExisting(target, needs, requirements, pass)
      return undefined
    }
    claims = [...claims].sort((first, second) => first.pods.length - second.pods.length || rankOf(first, needs) - rankOf(second, needs))
    for (const claim of claims) {
      const addition = tryClaim(claim, needs, false, pass)
      if (typeof addition === 'string') continue
      putOnClaim(claim, needs, addition, pass)
      return undefined
    }
    return putOnNewClaim(needs)
  }

  function rankOf({ pods: [first] }: OpenClaim, { pod }: PodNeeds): number {
    return first !== undefined && input.prefersClaim?.(pod.key, first.pod.key) === true ? 0 : 1
  }

  function putOnNewClaim(needs: PodNeeds): string | undefined {
    const failures: string[] = []
    for (const template of templates) {
      const types = withinLimits(template.pool, template.types, remaining)
      if (typeof types === 'string') {
        failures.push(types)
        continue
      }
      opened += 1
      const claim = openClaim(template, `hostname-placeholder-${String(opened).padStart(4, '0')}`, types, pass)
      const addition = tryClaim(claim, needs, relaxesMinValues, pass)
      if (typeof addition === 'string' && isReservationProblem(addition)) return addition
      if (typeof addition === 'string') {
        failures.push(`${addition} (nodepool ${template.pool.name})`)
        continue
      }
      putOnClaim(claim, needs, addition, pass)
      claims.push(claim)
      takeFromLimits(template.pool, addition.types, remaining, quirks)
      return undefined
    }
    return failures.length > 0 ? failures.join('; ') : 'nodepool requirements filtered out all available instance types'
  }

  return {
    place(original) {
      let pod = original
      for (;;) {
        const problem = putAnywhere(input.needsOf(pod, original))
        if (problem === undefined) return undefined
        const softer = isReservationProblem(problem) ? undefined : relax(pod, input.mayBearSoftTaints)
        if (softer === undefined) {
          if (pod !== original) topology.own(original)
          return problem
        }
        pod = softer
        topology.own(pod, original)
      }
    },
    claims: () => claims,
  }
}
