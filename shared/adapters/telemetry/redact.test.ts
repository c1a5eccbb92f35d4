import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countSteps } from '../../../test/properties/regexSteps.ts'
import { createRedaction, LONGEST_READ, SECRET_SHAPES } from './redact.ts'

const redact = createRedaction([])

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJqb2luZXIifQ.c2lnbmF0dXJl-c2lnbmF0dXJl_'
const KEY = 'bXktc3RvcmFnZS1rZXktbXktc3RvcmFnZS1rZXk'

/** A text with a secret of each kind, the secret, and the text that is left. */
const KINDS: readonly (readonly [kind: string, text: string, secret: string, want: string])[] = [
  ['a token', `{"token":"${JWT}"}`, JWT, '{"token":"(hidden)"}'],
  ['a token in a path', `GET /eyJ/${JWT}/x`, JWT, 'GET /eyJ/(hidden)/x'],
  ['a token after an underscore', `token_${JWT}`, JWT, 'token_(hidden)'],
  ['a token that was cut after its first part', `token ${JWT.slice(0, 16)}`, JWT.slice(0, 16), 'token (hidden)'],
  ['a token that was cut in its second part', `token ${JWT.slice(0, 30)}`, JWT.slice(0, 30), 'token (hidden)'],
  ['a token that was cut at its front', `...${JWT.slice(21)}`, JWT.slice(21), '...(hidden)'],
  ['a header', `Authorization: Bearer ${KEY}`, KEY, 'Authorization: Bearer (hidden)'],
  ['a header of a user and a word', `authorization: basic ${KEY}==`, KEY, 'authorization: basic (hidden)'],
  ['a header of storage', `SharedKey account:${KEY}=`, KEY, 'SharedKey (hidden)'],
  ['a bootstrap token', 'token abcdef.0123456789abcdef is refused', '0123456789abcdef', 'token (hidden) is refused'],
  ['a key of storage', `AccountName=a;AccountKey = ${KEY}==;X=y`, KEY, 'AccountName=a;AccountKey=(hidden);X=y'],
  ['a key of a bus', `SharedAccessKey=${KEY}`, KEY, 'SharedAccessKey=(hidden)'],
  ['a signature of a bus', `SharedAccessSignature=${KEY}`, KEY, 'SharedAccessSignature=(hidden)'],
  ['a key of telemetry', `InstrumentationKey=${KEY};a`, KEY, 'InstrumentationKey=(hidden);a'],
  ['a password', `password=${KEY}&user=me`, KEY, 'password=(hidden)&user=me'],
  ['a secret of a client', `client_secret=${KEY}&x=y`, KEY, 'client_secret=(hidden)&x=y'],
  ['a signed address', `https://a/b?se=1&sig=${KEY}&sp=r`, KEY, 'https://a/b?se=1&sig=(hidden)&sp=r'],
  ['a function key', `https://a/api/x?code=${KEY}`, KEY, 'https://a/api/x?code=(hidden)'],
  ['a token in an address', `https://a/x?access_token=${KEY}`, KEY, 'https://a/x?access_token=(hidden)'],
  ['a private key', `a -----BEGIN RSA PRIVATE KEY-----\n${KEY}\n-----END RSA PRIVATE KEY----- b`, KEY, 'a (hidden) b'],
  ['a private key without an end', `a -----BEGIN PRIVATE KEY-----\n${KEY}`, KEY, 'a (hidden)'],
]

describe('a secret is hidden, and the text around it stays', () => {
  it.each(KINDS)('%s', (_, text, secret, want) => {
    expect(redact(text)).toBe(want)
    expect(redact(text)).not.toContain(secret)
  })

  it('of every pattern', () => {
    const unused = SECRET_SHAPES.filter(([shape]) => !KINDS.some(([, text]) => text.replace(shape, '') !== text))
    expect(unused).toEqual([])
  })

  it.each(['eyJ', 'foreignKeyJoinedByColumn', 'the size Standard_D2as_v6 is not sold', 'bearer of news', 'a.b.c.d', 'PRIVATE KEY', 'sig='])(
    'and no text without one is changed: %s',
    (text) => expect(redact(text)).toBe(text),
  )
})

describe('a text that is too long to be read', () => {
  const KNOWN = 'correct horse battery staple'
  const cutting = createRedaction([KNOWN])

  it.each([...KINDS.map(([kind, text, secret]) => [kind, text, secret] as const), ['a word of the settings', KNOWN, KNOWN] as const])(
    'shows no part of a secret that its end cuts in two: %s',
    (_, text, secret) => {
      const seen = secret.split('').flatMap((_character, kept) => {
        const before = '~'.repeat(LONGEST_READ - text.indexOf(secret) - kept)
        const left = cutting(`${before}${text}${'~'.repeat(99)}`)
        return kept >= 1 && left.includes(`${text.slice(0, text.indexOf(secret))}${secret.slice(0, kept)}`.slice(-kept - 3))
          ? [left.slice(-99)]
          : []
      })
      expect(seen).toEqual([])
    },
  )

  it('is cut', () => {
    expect(redact('~'.repeat(LONGEST_READ)).length).toBe(LONGEST_READ)
    expect(redact('~'.repeat(LONGEST_READ * 9)).length).toBeLessThanOrEqual(LONGEST_READ)
  })
})

/** Pieces of all patterns: what may begin a secret, go on in it, and end it too early. */
const FRAGMENTS = [
  ...['eyJ', '-eyJ', '-eyJ-', '.eyJ', 'eyJabcdefgh', '-eyJabcdefgh.', '.', '-', '_', 'aaaaaa', 'abcdef.', 'abcdef.0123456789abcde'],
  ...[
    'Bearer',
    'bearer ',
    ' ',
    '\t',
    '\n',
    'basic',
    'SharedKey ',
    'AccountKey',
    'AccountKey ',
    'AccountKey = ',
    'Password',
    '=',
    ' =',
    ';',
    '&',
  ],
  ...['?sig=', '&code', '&sig', 'client_secret', '"', "'", '-----', '-----BEGIN ', '-----BEGIN', 'PRIVATE KEY', 'PRIVATE KEY-----', 'A'],
  ...['-----END ', '-----END PRIVATE ', '-----BEGIN PRIVATE KEY-----', 'PRIVATE PRIVATE ', 'é', '😀'],
]

/** A text of a few fragments, one after the other, again and again. */
const hostile = fc
  .array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 4 })
  .map((fragments) => (length: number) => fragments.join('').repeat(length).slice(0, length))
const mixed = fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 200 }).map((fragments) => fragments.join(''))

/** The most characters that are looked at for a character of the text. */
const MOST_LOOKS = 60

function looks(shape: RegExp, text: string): number {
  return countSteps(shape, text).steps / text.length
}

describe.each(SECRET_SHAPES.map(([shape]) => [shape.source, shape] as const))('the work for %s', (_, shape) => {
  it('grows with the length of the text and not faster, whatever the text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(looks(shape, text(400))).toBeLessThan(MOST_LOOKS)
        expect(looks(shape, text(3_200))).toBeLessThan(MOST_LOOKS)
      }),
    )
  })

  it('is counted by a model that finds what JavaScript finds', () => {
    fc.assert(
      fc.property(fc.oneof(mixed, fc.constantFrom(...KINDS.map(([, text]) => text))), (text) => {
        const found = [...text.matchAll(shape)].map((match) => [match.index, match.index + match[0].length])
        expect(countSteps(shape, text).matches).toEqual(found)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the count of the work', () => {
  it.each([
    [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '-eyJ'],
    [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '-eyJabcdefgh'],
    [/\s+=/g, ' '],
    [/-----BEGIN [\s\S]*?-----END/g, '-----BEGIN '],
  ])('finds that %s reads the same characters of %s again and again', (shape, fragment) => {
    expect(looks(shape, fragment.repeat(3_200).slice(0, 3_200))).toBeGreaterThan(MOST_LOOKS)
  })
})
