import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalAzure } from '../azure/startAzure.ts'
import { type Child, startChild } from './child.ts'
import { APP_AUDIENCE, LOCAL_CLUSTER, SHIM_IDENTITY } from './identities.ts'

export type ShimOptions = {
  readonly azure: LocalAzure
  readonly functionsUrl: string
  readonly functionKey: string
  readonly kubeconfigFile: string
  readonly caFile: string
  readonly directory: string
  readonly onLine: (line: string) => void
}

const ROOT = join(import.meta.dirname, '..', '..')

/** The shim in a process of its own, with what its chart would give it. */
export function startShim(options: ShimOptions): Child {
  const tokenFile = join(options.directory, 'federated-token')
  writeFileSync(tokenFile, federatedToken())
  return startChild({
    name: 'the shim',
    args: [join(ROOT, 'dist', 'shim', 'main.mjs')],
    env: {
      JOINER_CLUSTER: LOCAL_CLUSTER,
      JOINER_ENDPOINT: options.functionsUrl,
      JOINER_FUNCTION_KEY: options.functionKey,
      JOINER_AUDIENCE: APP_AUDIENCE,
      AZURE_CLIENT_ID: SHIM_IDENTITY.clientId,
      AZURE_TENANT_ID: options.azure.tenantId,
      AZURE_AUTHORITY_HOST: options.azure.authorityUrl,
      AZURE_FEDERATED_TOKEN_FILE: tokenFile,
      KUBECONFIG: options.kubeconfigFile,
      NODE_EXTRA_CA_CERTS: options.caFile,
      POD_NAME: 'joiner-shim-local',
      LEASE_NAMESPACE: 'default',
      HTTP_PORT: '0',
    },
    isReady: (line) => line.includes('"message":"snapshot sent"'),
    onLine: options.onLine,
  })
}

/** A service account token as the cluster would project it. Unsigned: the emulated tenant reads only its claims. */
function federatedToken(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const year = 365 * 24 * 3600
  const claims = {
    aud: 'api://AzureADTokenExchange',
    iss: 'https://local',
    sub: 'system:serviceaccount:joiner:joiner-shim',
    exp: Math.floor(Date.now() / 1000) + year,
  }
  return `${part({ alg: 'none' })}.${part(claims)}.`
}
