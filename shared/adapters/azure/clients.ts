import { ComputeManagementClient } from '@azure/arm-compute'
import { NetworkManagementClient } from '@azure/arm-network'
import type { TokenCredential } from '@azure/identity'

const ARM_ENDPOINT = 'https://management.azure.com'

/** How to reach ARM; the endpoint names the cloud. */
export type ArmOptions = {
  readonly credential: TokenCredential
  readonly subscriptionId: string
  /** Default: the public cloud. */
  readonly endpoint?: string
  /** Resource the token is asked for; default: the public cloud's, whatever the endpoint. */
  readonly audience?: string
  /** PEM of an authority to trust beside the system's. */
  readonly ca?: string
  readonly maxRetries?: number
  readonly retryDelayMs?: number
}

export type ArmClients = { readonly compute: ComputeManagementClient; readonly network: NetworkManagementClient }

/** The real clients. They retry 408, 429 and 5xx on their own, honouring Retry-After, up to `maxRetries`. */
export function createArmClients(options: ArmOptions): ArmClients {
  const client = {
    endpoint: options.endpoint ?? ARM_ENDPOINT,
    credentials: { scopes: [`${options.audience ?? ARM_ENDPOINT}/.default`] },
    userAgentOptions: { userAgentPrefix: 'joiner' },
    retryOptions: { maxRetries: options.maxRetries ?? 3, retryDelayInMs: options.retryDelayMs ?? 500, maxRetryDelayInMs: 10_000 },
    ...(options.ca === undefined ? {} : { tlsOptions: { ca: options.ca } }),
  }
  return {
    compute: new ComputeManagementClient(options.credential, options.subscriptionId, client),
    network: new NetworkManagementClient(options.credential, options.subscriptionId, client),
  }
}
