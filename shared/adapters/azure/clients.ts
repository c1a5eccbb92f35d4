import type { TokenCredential } from '@azure/identity'
import type { Client } from '@azure-rest/core-client'
import { lazily } from '../../base/caches.ts'
import { createConcurrencyLimiter } from '../../base/concurrency.ts'
import { armAudience, PUBLIC_CLOUD } from '../../model/cloud.ts'
import { Fault, problem } from '../../model/problem.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { GivenResponse, SentRequest } from './exchange.ts'
import { measureHeadroom } from './headroom.ts'
import { createRetryAfterLimiter, type RetryAfterLimiter } from './retryAfterLimiter.ts'
import type { ComputeClient, NetworkClient } from './sdk/groups.ts'

/**
 * The most concurrent calls of one process for one cluster, which limits its connections as well. ARM limits the calls of a subscription, and to wait
 * here costs less than a 429.
 */
const MOST_CALLS_AT_ONCE = 32

/** How to reach ARM. The endpoint selects the cloud. */
export type ArmOptions = {
  readonly credential: TokenCredential
  readonly subscriptionId: string
  /** Default: the public cloud. */
  readonly endpoint?: string
  /** A certificate authority in PEM, trusted in addition to those of the system. */
  readonly ca?: string
  readonly maxRetries?: number
  readonly retryDelayMs?: number
  /** Keeps the waits that Azure asks for. Default: a new one for these clients. */
  readonly retryAfterLimiter?: RetryAfterLimiter
  /** The clock of the default `retryAfterLimiter`. */
  readonly clock: Clock
  /** Receives how many calls ARM still allows. Absent: not measured. */
  readonly telemetry?: Pick<Telemetry, 'measure'>
  /** Wraps each attempt of a call, for a caller that keeps the answers. */
  readonly around?: AroundCall
}

/** Makes an attempt of a call with `next`, and returns its response unchanged. */
export type AroundCall = <Request extends SentRequest, Response extends GivenResponse>(
  request: Request,
  next: (request: Request) => Promise<Response>,
) => Promise<Response>

/**
 * The ARM clients. Each loads its package at the first call, because the packages are large and a process that only takes events never needs them.
 */
export type ArmClients = {
  readonly compute: () => Promise<ComputeClient>
  /** The compute client for another subscription: image galleries are in a subscription of their own. */
  readonly computeOf: (subscriptionId: string) => Promise<ComputeClient>
  readonly network: () => Promise<NetworkClient>
  /** A client for resources that the other clients do not cover. See `armGet`. */
  readonly rest: () => Promise<Client>
}

/**
 * The real clients. They retry 408, 429 and 5xx by themselves up to `maxRetries`, after short waits. A longer wait is thrown to the caller and kept.
 */
export function createArmClients(options: ArmOptions): ArmClients {
  const { endpoint = PUBLIC_CLOUD.facts.resourceManager } = options
  const turn = createConcurrencyLimiter(MOST_CALLS_AT_ONCE)
  const patient = options.retryAfterLimiter ?? createRetryAfterLimiter(options.clock)
  const around: AroundCall = options.around ?? ((request, next) => next(request))
  const heard =
    <Request extends SentRequest, Response extends GivenResponse>(next: (request: Request) => Promise<Response>) =>
    async (request: Request): Promise<Response> => {
      const response = await around(request, next)
      if (options.telemetry !== undefined) measureHeadroom(options.telemetry, response)
      return response
    }
  const client = {
    endpoint,
    credentials: { scopes: [`${audienceOf(endpoint)}/.default`] },
    userAgentOptions: { userAgentPrefix: 'joiner' },
    retryOptions: { maxRetries: options.maxRetries ?? 3, retryDelayInMs: options.retryDelayMs ?? 500, maxRetryDelayInMs: 10_000 },
    additionalPolicies: [
      {
        // The policy runs for each attempt, so a call that waits for its next attempt does not count as running.
        position: 'perRetry' as const,
        policy: {
          name: 'joinerTurnstile',
          sendRequest: <Request extends SentRequest, Response extends GivenResponse>(
            request: Request,
            next: (request: Request) => Promise<Response>,
          ): Promise<Response> => patient(request, heard(next), turn),
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

function audienceOf(endpoint: string): string {
  const audience = armAudience(endpoint)
  if (audience !== undefined) return audience
  const rule = `ARM_ENDPOINT: ${endpoint} is not the endpoint of a cloud that Joiner knows, so no token is asked for; correct ARM_ENDPOINT`
  throw new Fault('get a token for Azure Resource Manager', problem('SETTING.INVALID', rule, { path: 'ARM_ENDPOINT' }))
}
