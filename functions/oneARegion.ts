import type { ClusterConfig } from '../shared/wire/clusterConfig.ts'

/**
 * What clusters of one subscription and region share: one value for each region, made when its first cluster asks. `region` is also the path under
 * which it is stored.
 */
export function oneARegion<Shared>(
  known: Map<string, Shared>,
  { subscriptionId, location }: Pick<ClusterConfig, 'subscriptionId' | 'location'>,
  make: (region: string) => Shared,
): Shared {
  const region = `regions/${subscriptionId}/${location}`
  const shared = known.get(region) ?? make(region)
  known.set(region, shared)
  return shared
}
