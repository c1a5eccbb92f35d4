import type { TokenCredential } from '@azure/identity'
import { lazily } from '../../base/caches.ts'

/** The credential of the app in Azure: the given managed identity or, without one on a developer's machine, the user who is logged in there. */
export function createCredential(managedIdentityClientId: string | undefined): TokenCredential {
  const credential = lazily(async (): Promise<TokenCredential> => {
    const { DefaultAzureCredential, ManagedIdentityCredential } = await import('./sdk/identity.ts')
    return managedIdentityClientId === undefined
      ? new DefaultAzureCredential()
      : new ManagedIdentityCredential({ clientId: managedIdentityClientId })
  })
  return { getToken: async (scopes, options) => (await credential()).getToken(scopes, options) }
}
