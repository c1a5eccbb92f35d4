import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'

const SUBSCRIPTION = '11111111-2222-4333-8444-555555555555'
const redactor = createRedactor({ subscription: SUBSCRIPTION, tenant: '99999999-2222-4333-8444-555555555555' })

describe('the redactor', () => {
  it.each([
    [`/subscriptions/${SUBSCRIPTION}/resourceGroups/g`, '/subscriptions/<subscription>/resourceGroups/g'],
    [`/SUBSCRIPTIONS/${SUBSCRIPTION.toUpperCase()}`, '/SUBSCRIPTIONS/<subscription>'],
    ['https://x.example/op/1?api-version=2025-04-01&t=638&c=MIIH&s=secret&h=x', 'https://x.example/op/1?api-version=2025-04-01'],
    ['https://x.example/page?$skiptoken=abc', 'https://x.example/page'],
    ['Bearer eyJhbGciOi.eyJvaWQi.c2lnbmF0dXJl', 'Bearer <removed>'],
    ['TLS_BOOTSTRAP_TOKEN=abcdef.0123456789abcdef', 'TLS_BOOTSTRAP_TOKEN=<removed>'],
    ['ssh-ed25519 AAAAC3NzaC1lZDI1 me@home', '<removed>'],
    ['AccountKey=abc==;EndpointSuffix=core', '<removed>;EndpointSuffix=core'],
    ['the size Standard_D2as_v6 is not available in eastus-1', 'the size Standard_D2as_v6 is not available in eastus-1'],
  ])('%s becomes %s', (text, want) => expect(redactor.text(text)).toBe(want))

  it('gives equal ids equal placeholders, and other ids others', () => {
    const [one, other] = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002']
    const { a, b, c } = createRedactor({}).value({ a: one, b: other, c: one }) as { a: string; b: string; c: string }
    expect([a === c, a === b, a]).toEqual([true, false, '<id-1>'])
  })

  it('keeps what a form is made of: numbers, flags, nulls and empty lists', () => {
    const body = { tokenCount: 3, hasPassword: true, secrets: null, list: [], at: '2026-11-29T10:00:00Z' }
    expect(redactor.value(body)).toEqual(body)
  })

  const secret = fc.oneof(
    fc.uuid(),
    fc.stringMatching(/^eyJ[A-Za-z0-9_-]{12,40}\.[A-Za-z0-9_-]{8,40}$/),
    fc.stringMatching(/^[a-z0-9]{6}\.[a-z0-9]{16}$/),
    fc.stringMatching(/^[A-Za-z0-9+/]{64,200}$/),
    fc.stringMatching(/^-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9]{20,60}\n-----END PRIVATE KEY-----$/),
  )
  const plain = fc.stringMatching(/^[ a-zA-Z]{1,12}$/)
  const secretKey = fc.constantFrom(
    'customData',
    'adminPassword',
    'keyData',
    'primaryKey',
    'keys',
    'connectionString',
    'accessToken',
    'clientSecret',
  )

  it('leaves no secret anywhere in an answer, whatever is around it', () => {
    fc.assert(
      fc.property(
        secret,
        plain,
        fc.array(fc.oneof(plain, fc.nat()), { maxLength: 4 }),
        secretKey,
        plain,
        (hidden, word, path, key, value) => {
          const text = `${word} ${hidden} ${word}`
          const around = path.reduce<unknown>((inner, step) => (typeof step === 'number' ? [step, inner] : { [step]: inner }), {
            text,
            [hidden]: word,
          })
          const shown = JSON.stringify(redactor.value({ around, [key]: `#${value}#` }))
          expect(shown).not.toContain(JSON.stringify(hidden).slice(1, -1))
          expect(shown).not.toContain(`#${value}#`)
        },
      ),
    )
  })
})
