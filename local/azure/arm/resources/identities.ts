// Identities that a deployment made: their ids for the managed identity endpoint, and the tokens that count as theirs.

import type { EntraClient } from '../../entra/authority.ts'
import type { ManagedIdentity } from '../../entra/managedIdentity.ts'
import { listAt, textAt } from '../../json.ts'
import type { Arm } from '../arm.ts'
import type { Document } from '../armState.ts'
import { documentsOf } from './roleRules.ts'

const TYPE = 'Microsoft.ManagedIdentity/userAssignedIdentities'

function idsOf(identity: Document): ManagedIdentity {
  return { clientId: textAt(identity, 'properties.clientId') ?? '', objectId: textAt(identity, 'properties.principalId') ?? '' }
}

export function madeIdentities(arm: Arm): readonly ManagedIdentity[] {
  return documentsOf(arm, TYPE).map(idsOf)
}

/** Returns the identities as clients. Each accepts only the tokens that its federated credentials name. */
export function federatedClients(arm: Arm): readonly EntraClient[] {
  const credentials = documentsOf(arm, `${TYPE}/federatedIdentityCredentials`)
  return documentsOf(arm, TYPE).map((identity) => ({
    ...idsOf(identity),
    federated: credentials
      .filter(({ id }) => id.toLowerCase().startsWith(`${identity.id.toLowerCase()}/`))
      .map((each) => ({
        issuer: textAt(each, 'properties.issuer') ?? '',
        subject: textAt(each, 'properties.subject') ?? '',
        audiences: listAt(each, 'properties.audiences').filter((audience) => typeof audience === 'string'),
      })),
  }))
}
