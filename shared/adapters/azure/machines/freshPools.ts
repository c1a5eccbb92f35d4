import type { AbortSignalLike } from '../../../ports/clock.ts'
import type { ArmFailure } from '../armFailure.ts'

/** The ids of the backend pools that interfaces join. Azure may make the load balancer anew, with other pools, between two reads of the cluster. */
export interface FreshPools {
  now(): readonly string[]
  /** Reads the pools. Returns whether they are others than those that were refused. */
  renew(refused: readonly string[], signal: AbortSignalLike): Promise<boolean>
}

export function createFreshPools(
  { backendPoolIds }: { readonly backendPoolIds: readonly string[] },
  read: (signal: AbortSignalLike) => Promise<readonly string[]>,
): FreshPools {
  let known = backendPoolIds
  return {
    now: () => known,
    async renew(refused, signal) {
      // Another launch may have read them meanwhile.
      if (known === refused) known = await read(signal)
      return known !== refused && known.join(' ').toLowerCase() !== refused.join(' ').toLowerCase()
    },
  }
}

/** Codes of a request that names something that does not exist. */
const NOT_THERE: ReadonlySet<string> = new Set(['InvalidResourceReference', 'ReferencedResourceNotFound'])

/** Reports whether an interface was refused for a backend pool that does not exist any more. */
export function isOfStalePool({ code, message }: ArmFailure): boolean {
  return NOT_THERE.has(code) && /\/backendAddressPools\//i.test(message)
}
