import { DefaultAzureCredential, ManagedIdentityCredential, type TokenCredential } from '@azure/identity'

/**
 * Who the app is in Azure: the managed identity it is told to be, or, on a developer's machine that names none, whoever is
 * logged in there.
 */
export function createCredential(managedIdentityClientId: string | undefined): TokenCredential {
  return managedIdentityClientId === undefined
    ? new DefaultAzureCredential()
    : new ManagedIdentityCredential({ clientId: managedIdentityClientId })
}
