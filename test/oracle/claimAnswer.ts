import type { Requirements } from '../../shared/model/requirements.ts'
import { add, minOf, type Resources } from '../../shared/model/resources.ts'
import { shortOfValues, type TypeView } from './instanceTypes.ts'
import { finalRequirements, type OpenClaim } from './openClaim.ts'
import type { CheapestMachine, OracleClaim } from './oracleAnswer.ts'
import type { Pass } from './pass.ts'
import { SIMULATED } from './templates.ts'

/** The final claim, or the reason why there is none: the largest allowed number of sizes cannot meet strict minValues. */
export function claimAnswer(claim: OpenClaim, pass: Pass): OracleClaim | (Pick<OracleClaim, 'pods'> & { readonly problem: string }) {
  const { settings } = pass.snapshot
  const requirements = finalRequirements(claim, Object.keys(SIMULATED), pass)
  const ranked = claim.types.map((view) => ({ view, machine: cheapestMachine([view], requirements, pass) }))
  const ordered = ranked.sort(
    (first, second) => byPrice(first.machine, second.machine) || (first.view.type.name < second.view.type.name ? -1 : 1),
  )
  const types = ordered.slice(0, settings.maxInstanceTypes).map(({ view }) => view)
  const pods = claim.pods.map(({ pod }) => pod.key)
  if (settings.minValuesPolicy === 'Strict' && shortOfValues(types, requirements, pass).size > 0) {
    return { pods, problem: `nodepool ${claim.template.pool.name} could not meet its minValues requirements` }
  }
  const cheapest = cheapestMachine(types, requirements, pass)
  return {
    pool: claim.template.pool.name,
    pods,
    requirements,
    instanceTypes: types.map(({ type }) => type.name),
    ...(cheapest === undefined ? {} : { cheapest }),
    requests: add(claim.requests, leastOverhead(claim)),
  }
}

/** The cheapest machine. Ties go by size, zone and capacity type. */
function cheapestMachine(
  types: readonly TypeView[],
  requirements: Requirements,
  { algebra, wellKnown }: Pass,
): CheapestMachine | undefined {
  const machines = types.flatMap(({ type, offerings }) =>
    offerings
      .filter((each) => algebra.compatible(requirements, each.requirements, wellKnown))
      .flatMap(({ offering: { zone, capacityType, price } }) =>
        price === undefined ? [] : [{ type: type.name, zone, capacityType, price }],
      ),
  )
  return machines.sort((first, second) => byPrice(first, second) || (nameOf(first) < nameOf(second) ? -1 : 1))[0]
}

function byPrice(first: CheapestMachine | undefined, second: CheapestMachine | undefined): number {
  return (first?.price ?? Number.MAX_SAFE_INTEGER) - (second?.price ?? Number.MAX_SAFE_INTEGER)
}

function nameOf({ type, zone, capacityType }: CheapestMachine): string {
  return `${type} ${zone} ${capacityType}`
}

function leastOverhead({ types, template }: OpenClaim): Resources {
  const [first = {}, ...others] = types.map((view) => template.daemonsOf(view).overhead)
  return others.reduce(minOf, first)
}
