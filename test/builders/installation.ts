import type { Installation } from '../../cli/down/azureRights.ts'

/** An installation without identities and zones. Its removal deletes only what is in the subscription. */
export function installation(subscriptionId: string): Installation {
  return { subscriptionId, resourceGroup: 'rg-joiner-test', token: undefined, principalIds: [], usedIds: [], zoneIds: [] }
}
