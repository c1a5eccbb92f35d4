import type { Installation } from '../../cli/down/azureRights.ts'

/** An installation without identities and zones of its own, so that a removal finds only what the subscription has. */
export function installation(subscriptionId: string): Installation {
  return { subscriptionId, resourceGroup: 'rg-joiner-test', token: undefined, principalIds: [], usedIds: [], zoneIds: [] }
}
