import { AzureKeyCredential, EventGridPublisherClient } from '@azure/eventgrid'
import type { SpotConfig } from '../config.ts'
import type { TokenSource } from '../post/tokenSource.ts'
import type { NodeEvent } from './nodeEvent.ts'

export type PublishNodeEvent = (event: NodeEvent, signal: AbortSignal) => Promise<void>

/** Creates a publisher. It throws if Event Grid did not take the event. The client itself retries once; the caller retries for ever. */
export function createEventGridPublisher(config: SpotConfig, tokens: TokenSource | undefined): PublishNodeEvent {
  const client = new EventGridPublisherClient(config.topicEndpoint.href, 'EventGrid', credentialOf(config, tokens), {
    // a topic on this machine, for tests and the local stack; the settings refuse plain http to any other host
    ...(config.topicEndpoint.protocol === 'http:' ? { allowInsecureConnection: true } : {}),
    retryOptions: { maxRetries: 1, retryDelayInMs: 200 },
  })
  return async (event, signal) => {
    await client.send([{ ...event, data: { ...event.data } }], { abortSignal: signal })
  }
}

function credentialOf(config: SpotConfig, tokens: TokenSource | undefined) {
  if (tokens === undefined) return new AzureKeyCredential(config.topicKey ?? '')
  return {
    async getToken(_scopes: string | string[], options?: { abortSignal?: unknown }) {
      const signal = options?.abortSignal instanceof AbortSignal ? options.abortSignal : AbortSignal.timeout(30_000)
      const { token, expiresAt } = await tokens.token(signal)
      return { token, expiresOnTimestamp: expiresAt }
    },
  }
}
