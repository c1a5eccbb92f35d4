import type { TokenCredential } from '@azure/identity'
import type { Client } from '@azure-rest/core-client'
import { lazily } from '../../base/lazily.ts'
import { createTurnstile } from '../../base/turnstile.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { tellHeadroom } from './headroom.ts'
import { createPatience, type GivenResponse, type Patience, type SentRequest } from './patience.ts'
import type { ComputeClient, NetworkClient } from './sdk/groups.ts'

/** Of one process for one cluster, so connections too. ARM counts calls of a subscription; waiting here costs less than its 429. */
const MOST_CALLS_AT_ONCE = 32

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
  /** Keeps the waits that Azure asks for. Default: one for these clients alone. */
  readonly patience?: Patience
  /** The clock of that default. */
  readonly clock: Clock
  /** Is told how many calls are left. Absent: nobody asks. */
  readonly telemetry?: Pick<Telemetry, 'measure'>
}

/** Each loads its package at the first call: much of the app's code, which a process that only takes events never needs. */
export type ArmClients = {
  readonly compute: () => Promise<ComputeClient>
  /** Of another subscription: galleries are in their own. */
  readonly computeOf: (subscriptionId: string) => Promise<ComputeClient>
  readonly network: () => Promise<NetworkClient>
  /** For resources that the two above do not know; see `armGet`. */
  readonly rest: () => Promise<Client>
}

/** The real clients. They retry 408, 429 and 5xx on their own up to `maxRetries`, after short waits; a long one is the caller's, and kept. */
export function createArmClients(options: ArmOptions): ArmClients {
  const turn = createTurnstile(MOST_CALLS_AT_ONCE)
  const patient = options.patience ?? createPatience(() => options.clock.now())
  const heard =
    <Request, Response extends GivenResponse>(next: (request: Request) => Promise<Response>) =>
    async (request: Request): Promise<Response> => {
      const response = await next(request)
      if (options.telemetry !== undefined) tellHeadroom(options.telemetry, response)
      return response
    }
  const client = {
    endpoint: options.endpoint ?? ARM_ENDPOINT,
    credentials: { scopes: [`${options.audience ?? ARM_ENDPOINT}/.default`] },
    userAgentOptions: { userAgentPrefix: 'joiner' },
    retryOptions: { maxRetries: options.maxRetries ?? 3, retryDelayInMs: options.retryDelayMs ?? 500, maxRetryDelayInMs: 10_000 },
    additionalPolicies: [
      {
        // Inside the client's retries: a call that waits for its next attempt takes no place.
        position: 'perRetry' as const,
        policy: {
          name: 'joinerTurnstile',
          sendRequest: <Request extends SentRequest, Response extends GivenResponse>(
            request: Request,
            next: (request: Request) => Promise<Response>,
          ): Promise<Response> => turn(() => patient(request, heard(next))),
        },
      },
    ],
    ...(options.ca === undefined ? {} : { tlsOptions: { ca: options.ca } }),
  }
  const computeOf = async (subscriptionId: string): Promise<ComputeClient> => {
    const { ComputeManagementClient } = await import('./sdk/compute.ts')
    return new ComputeManagementClient(options.credential, subscriptionId, client)
  }
  return {
    compute: lazily(() => computeOf(options.subscriptionId)),
    computeOf,
    network: lazily(async () => {
      const { NetworkManagementClient } = await import('./sdk/network.ts')
      return new NetworkManagementClient(options.credential, options.subscriptionId, client)
    }),
    rest: lazily(async () => {
      const { getClient } = await import('./sdk/rest.ts')
      return getClient(client.endpoint, options.credential, client)
    }),
  }
}
