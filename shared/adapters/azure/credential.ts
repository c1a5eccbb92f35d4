import type { TokenCredential } from '@azure/identity'
import { lazily } from '../../base/lazily.ts'

/**
 * Who the app is in Azure: the managed identity it is told to be, or, on a developer's machine that names none, whoever is
 * logged in there.
 */
export function createCredential(managedIdentityClientId: string | undefined): TokenCredential {
  const credential = lazily(async (): Promise<TokenCredential> => {
    const { DefaultAzureCredential, ManagedIdentityCredential } = await import('./sdk/identity.ts')
    return managedIdentityClientId === undefined
      ? new DefaultAzureCredential()
      : new ManagedIdentityCredential({ clientId: managedIdentityClientId })
  })
  return { getToken: async (scopes, options) => (await credential()).getToken(scopes, options) }
}
