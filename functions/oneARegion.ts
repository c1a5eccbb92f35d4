import type { ClusterConfig } from '../shared/wire/clusterConfig.ts'

/**
 * Returns a value that the clusters of one subscription and region share. It is made when the first cluster of the region asks for it. `region` is
 * also its path in storage.
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
