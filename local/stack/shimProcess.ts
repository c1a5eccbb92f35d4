import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../../shared/base/values.ts'
import type { LocalAzure } from '../azure/startAzure.ts'
import { type Child, startChild } from './child.ts'
import type { StackCluster } from './cluster.ts'
import { APP_AUDIENCE, LOCAL_CLUSTER, SHIM_IDENTITY } from './identities.ts'
import { SHIM_IMAGE } from './shimImage.ts'

export type ShimOptions = {
  readonly azure: LocalAzure
  readonly functionsUrl: string
  /** With `JOINER_TOKEN_FILE` the shim uses the token in that file, otherwise a token of its identity in the tenant. */
  readonly kubernetes: Pick<StackCluster, 'shimEnv'>
  readonly caFile: string
  readonly directory: string
  /** Its name in the leader election. Default: the name of the stack's own shim. */
  readonly podName?: string
  readonly onLine: (line: string) => void
  readonly onNotice: (text: string) => void
  /** Aborted when the whole stack ends. */
  readonly ending?: AbortSignal
}

const SHIM = join(import.meta.dirname, '..', '..', 'dist', 'shim', 'main.mjs')

/** Starts the shim in a process of its own, with the flags and environment that its chart gives it. */
export function startShim(options: ShimOptions): Child {
  return startChild({
    name: 'the shim',
    args: [...SHIM_IMAGE.flags, SHIM],
    env: {
      JOINER_ENDPOINT: options.functionsUrl,
      POD_NAME: options.podName ?? 'joiner-shim-local',
      ...options.kubernetes.shimEnv,
      ...('JOINER_TOKEN_FILE' in options.kubernetes.shimEnv ? {} : { JOINER_AUDIENCE: APP_AUDIENCE, ...workloadIdentity(options) }),
      ...commonEnv(options),
    },
    isReady: (line) => line.includes('"message":"snapshot sent"'),
    onLine: options.onLine,
    onNotice: options.onNotice,
    ...defined({ ending: options.ending }),
  })
}

export type SpotShimOptions = Pick<ShimOptions, 'azure' | 'caFile' | 'directory' | 'onLine' | 'onNotice' | 'ending'> & {
  readonly node: string
}

/** Starts the shim of one spot node, which watches the metadata service of its own machine. */
export function startSpotShim(options: SpotShimOptions): Child {
  return startChild({
    name: `the shim on node ${options.node}`,
    args: [...SHIM_IMAGE.flags, SHIM],
    env: {
      MODE: 'spot',
      NODE_NAME: options.node,
      IMDS_ENDPOINT: options.azure.imdsUrl(options.node),
      IMDS_POLL_MS: '250',
      EVENT_GRID_TOPIC_ENDPOINT: options.azure.topicEndpoint,
      ...workloadIdentity(options),
      ...commonEnv(options),
    },
    isReady: (line) => line.includes('"message":"started"'),
    onLine: options.onLine,
    onNotice: options.onNotice,
    ...defined({ ending: options.ending }),
  })
}

/** Returns the environment of both modes: the cluster, and the authorities to trust. */
function commonEnv({ caFile }: Pick<ShimOptions, 'caFile'>): { readonly [name: string]: string } {
  return { ...SHIM_IMAGE.env, JOINER_CLUSTER: LOCAL_CLUSTER, NODE_EXTRA_CA_CERTS: caFile, HTTP_PORT: '0' }
}

/** Returns the environment that the workload identity webhook gives to a pod. */
function workloadIdentity({ azure, directory }: Pick<ShimOptions, 'azure' | 'directory'>): { readonly [name: string]: string } {
  const tokenFile = join(directory, 'federated-token')
  writeFileSync(tokenFile, federatedToken())
  return {
    AZURE_CLIENT_ID: SHIM_IDENTITY.clientId,
    AZURE_TENANT_ID: azure.tenantId,
    AZURE_AUTHORITY_HOST: azure.authorityUrl,
    AZURE_FEDERATED_TOKEN_FILE: tokenFile,
  }
}

/** A service account token as the cluster would project it. It is unsigned, because the emulated tenant reads only its claims. */
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
