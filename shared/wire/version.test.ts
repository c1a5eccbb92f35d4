import { describe, expect, it } from 'vitest'
import { checkVersion, parseJson } from './version.ts'

const VERSIONS = { object: 'thing', known: 2, newer: 'STORE.NEWER_SCHEMA' } as const

describe('the version of a document', () => {
  it('that is known lets it be read', () => {
    expect(checkVersion({ v: 2, a: 1 }, VERSIONS)).toEqual({ ok: true, value: { v: 2, a: 1 } })
  })

  it('that is newer says what to update', () => {
    expect(checkVersion({ v: 3 }, VERSIONS)).toMatchObject({
      error: {
        code: 'STORE.NEWER_SCHEMA',
        object: 'thing',
        path: 'v',
        fields: { version: 3, known: 2 },
        message: expect.stringMatching(/^thing: .*3.*2/),
      },
    })
  })

  it.each([{ v: 1 }, { v: '2' }, {}])('is refused: %j', (json) => {
    expect(checkVersion(json, VERSIONS)).toMatchObject({
      error: { code: 'INPUT.INVALID', object: 'thing', path: 'v', message: expect.stringMatching(/^thing: v must be 2/) },
    })
  })

  it.each([null, 'text', [1]])('is not in what is no object: %j', (json) => {
    expect(checkVersion(json, VERSIONS)).toMatchObject({
      error: { code: 'INPUT.INVALID', object: 'thing', message: 'thing: must be an object' },
    })
  })
})

describe('stored text', () => {
  it('is JSON, or a problem with its name', () => {
    expect(parseJson('{"a":1}', 'thing')).toEqual({ ok: true, value: { a: 1 } })
    expect(parseJson('{', 'thing')).toMatchObject({ error: { code: 'INPUT.INVALID', object: 'thing', message: 'thing: is not JSON' } })
  })
})
