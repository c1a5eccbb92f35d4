import { AzureCliCredential, AzureDeveloperCliCredential, ChainedTokenCredential, type TokenCredential } from '@azure/identity'
import { createCredential } from './credential.ts'

export type DeployerOptions = {
  /** Set only if a machine deploys with its own identity. */
  readonly managedIdentityClientId: string | undefined
  /** Absent: the tenant that azd and az are logged in to. */
  readonly tenantId: string | undefined
}

/**
 * The credential of the user who installs: the login of azd, or else that of az. The default chain of the SDK would first use environment variables
 * and editors. But azd deploys as one user, and its hooks must not act as another.
 */
export function createDeployerCredential({ managedIdentityClientId, tenantId }: DeployerOptions): TokenCredential {
  if (managedIdentityClientId !== undefined) return createCredential(managedIdentityClientId)
  const options = { processTimeoutInMs: 30_000, ...(tenantId === undefined ? {} : { tenantId }) }
  return new ChainedTokenCredential(new AzureDeveloperCliCredential(options), new AzureCliCredential(options))
}
