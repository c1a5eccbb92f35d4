import { AzureCliCredential, AzureDeveloperCliCredential, ChainedTokenCredential, type TokenCredential } from '@azure/identity'
import { createCredential } from './credential.ts'

export type DeployerOptions = {
  /** Only where a machine deploys by its own identity. */
  readonly managedIdentityClientId: string | undefined
  /** Absent: the tenant that azd and az are logged in to. */
  readonly tenantId: string | undefined
}

/**
 * Whoever installs: logged in with azd, or else with az. Not the default chain of the SDK, which would first take what environment variables and
 * editors offer: azd deploys as one person, and its hooks must not act as another.
 */
export function createDeployerCredential({ managedIdentityClientId, tenantId }: DeployerOptions): TokenCredential {
  if (managedIdentityClientId !== undefined) return createCredential(managedIdentityClientId)
  const options = { processTimeoutInMs: 30_000, ...(tenantId === undefined ? {} : { tenantId }) }
  return new ChainedTokenCredential(new AzureDeveloperCliCredential(options), new AzureCliCredential(options))
}
