import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONNECTION, createMonitored, TOKEN } from '../../../test/monitor/monitored.ts'
import type { EventFields } from '../../model/telemetryContract.ts'

/** One character of these. */
const oneOf = (characters: string) => fc.constantFrom(...characters.split(''))

const base64url = fc.string({
  unit: oneOf('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_'),
  minLength: 20,
  maxLength: 60,
})
const lower = (length: number) => fc.string({ unit: oneOf('abcdefghijklmnopqrstuvwxyz0123456789'), minLength: length, maxLength: length })
const base64 = fc.string({
  unit: oneOf('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/'),
  minLength: 40,
  maxLength: 88,
})

/** A secret, and how a client writes it into an error. */
const SECRETS: { readonly [kind: string]: fc.Arbitrary<{ readonly secret: string; readonly text: string }> } = {
  'a token of Entra or of a service account': fc
    .tuple(base64url, base64url, base64url)
    .map(([head, body, end]) => `eyJ${head}.${body}.${end}`)
    .map((secret) => ({ secret, text: `{"authorization":"${secret}"}` })),
  'a header': base64url.map((secret) => ({ secret, text: `Authorization: Bearer ${secret}` })),
  'a bootstrap token': fc
    .tuple(lower(6), lower(16))
    .map(([id, word]) => ({ secret: word, text: `--bootstrap-token ${id}.${word} refused` })),
  'a connection string of storage': base64.map((key) => ({
    secret: key,
    text: `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${key}==;EndpointSuffix=core.windows.net`,
  })),
  'an address with its right': base64url.map((secret) => ({
    secret,
    text: `GET https://a.blob.core.windows.net/c/b?se=2026&sig=${secret}&sp=r`,
  })),
  'a function key': base64url.map((secret) => ({ secret, text: `https://app.azurewebsites.net/api/events?code=${secret}` })),
  'a private key': base64.map((secret) => ({ secret, text: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----` })),
}

describe.each(Object.entries(SECRETS))('%s', (_, written) => {
  it('is in nothing that leaves, wherever it is said', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(written, { minLength: 1, maxLength: 5 }), async (secrets) => {
        const { telemetry, ingestion } = createMonitored()
        for (const { text } of secrets) {
          telemetry.error(`a call failed: ${text}`, { path: text, eventId: text, cluster: text })
          telemetry.event('interruption.handled', { ...NOTHING, reason: text })
          telemetry.measure('azure.catalog', 1, { part: text })
        }
        await telemetry.flushAll()
        expect(ingestion.rows('AppTraces')).toHaveLength(secrets.length)
        const all = ingestion.texts.join('\n')
        for (const { secret } of secrets) expect(all).not.toContain(secret)
      }),
      { numRuns: 20 },
    )
  })
})

describe('a secret of the settings', () => {
  it('is in nothing that leaves, whatever it looks like', async () => {
    const secret = 'correct horse battery staple'
    const { telemetry, ingestion } = createMonitored({ secrets: [secret] })
    telemetry.error(`the settings were ${secret} and ${CONNECTION}`)
    await telemetry.flushAll()
    expect(ingestion.rows('AppTraces')).toMatchObject([{ Message: 'the settings were (hidden) and (hidden)' }])
    expect(ingestion.texts.join('')).not.toContain(TOKEN)
  })
})

const NOTHING: EventFields<'interruption.handled'> = {
  cluster: undefined,
  nodePool: undefined,
  nodeClaim: undefined,
  sku: undefined,
  zone: undefined,
  capacityType: undefined,
  reason: undefined,
  reactionSeconds: undefined,
}
