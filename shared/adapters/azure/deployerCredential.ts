import { AzureCliCredential, AzureDeveloperCliCredential, ChainedTokenCredential, type TokenCredential } from '@azure/identity'
import { settle } from '../../base/concurrency.ts'
import { Fault, problem } from '../../model/problem.ts'
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
  if (managedIdentityClientId !== undefined) return withReason(createCredential(managedIdentityClientId))
  const options = { processTimeoutInMs: 30_000, ...(tenantId === undefined ? {} : { tenantId }) }
  return withReason(new ChainedTokenCredential(new AzureDeveloperCliCredential(options), new AzureCliCredential(options)))
}

/** The SDK gives one paragraph for each kind of login that it tried. A person needs the one thing to do. */
function withReason(credential: TokenCredential): TokenCredential {
  return {
    async getToken(scopes, options) {
      const token = await settle(() => credential.getToken(scopes, options))
      if (token.ok) return token.value
      if (!isLogin(token.error)) throw token.error
      throw new Fault('log in to Azure', problem('AZURE.FORBIDDEN', reasonIn(token.error.message)), token.error)
    },
  }
}

/** Names of errors of `@azure/identity` for credentials that are missing or refused. */
function isLogin(error: unknown): error is Error {
  return (
    error instanceof Error &&
    /^(CredentialUnavailable|AuthenticationRequired|AggregateAuthentication|Authentication)Error$/.test(error.name)
  )
}

/** Texts of AzureDeveloperCliCredential and AzureCliCredential in `@azure/identity` 4 for a program that is not on the PATH. */
const MISSING = [/Developer CLI couldn't be found/, /Azure CLI could not be found/]

/** Lines that only say that all kinds of login failed, that a program is missing, or that it has no login. */
const SAYS_NO_MORE = /^ChainedTokenCredential|couldn't be found|could not be found|Please run '/

function reasonIn(text: string): string {
  if (MISSING.every((each) => each.test(text)))
    return 'nobody is logged in, and neither azd nor az is on the PATH; install azd from https://aka.ms/azd, and run: azd auth login'
  const said = text.split('\n').filter((line) => line !== '' && !SAYS_NO_MORE.test(line))
  return `nobody is logged in; run: azd auth login${said.length === 0 ? '' : ` (${said.join('; ')})`}`
}
