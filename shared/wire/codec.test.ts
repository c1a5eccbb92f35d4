import { describe, expect, it } from 'vitest'
import {
  type Codec,
  constant,
  decode,
  dictionary,
  flag,
  integer,
  list,
  number,
  oneOf,
  optional,
  type Read,
  record,
  repeated,
  text,
} from './codec.ts'

type Reader = { readonly read: Read<unknown> }
type Sized = { readonly name: string; readonly requests: { readonly [name: string]: number } }

describe('a value of another type', () => {
  const codecs: {
    readonly [rule: string]: { readonly codec: Reader; readonly right: readonly unknown[]; readonly wrong: readonly unknown[] }
  } = {
    'must be a text': { codec: text, right: ['', 'a'], wrong: [1, null, [], {}] },
    'must be an integer': { codec: integer, right: [0, -1, 2 ** 53 - 1], wrong: [0.5, 2 ** 53, '1', null] },
    'must be a number': { codec: number, right: [0.5, -1], wrong: [Number.NaN, Number.POSITIVE_INFINITY, '1', null] },
    'must be true or false': { codec: flag, right: [true, false], wrong: [0, 'true', null] },
    'must be one of a, b': { codec: oneOf('a', 'b'), right: ['a', 'b'], wrong: ['c', 0, null] },
    'must be "a"': { codec: constant('a'), right: ['a'], wrong: ['b', null] },
    'must be a list': { codec: list(text), right: [[], ['a', 'b']], wrong: [{}, 'a', null] },
    'must be an object': { codec: dictionary(text), right: [{}, { a: 'b' }], wrong: [[], 'a', null] },
  }
  it.each(Object.entries(codecs))('is refused: %s', (rule, { codec, right, wrong }) => {
    for (const json of right) expect(decode(codec, json, { object: 'it' })).toEqual({ ok: true, value: json })
    for (const json of wrong) {
      const read = decode(codec, json, { object: 'it' })
      expect(read).toEqual({ ok: false, error: { code: 'INPUT.INVALID', message: `it: ${rule}`, object: 'it' } })
    }
  })

  it.each([
    [list(text), ['a', 1, 2], '[1]'],
    [list(list(text)), [['a'], ['b', 1]], '[1][1]'],
    [dictionary(text), { a: 'b', 'c/d': 1 }, '["c/d"]'],
    [dictionary(list(text)), { a: [1] }, '["a"][0]'],
    [record<{ a: { b: string } }>({ a: record<{ b: string }>({ b: text }) }), { a: { b: 1 } }, 'a.b'],
    [record<{ a: readonly string[] }>({ a: list(text) }), { a: ['x', 1] }, 'a[1]'],
    [record<{ a?: { b: string } }>({ a: optional(record<{ b: string }>({ b: text })) }), { a: {} }, 'a.b'],
  ])('is refused by its place', (codec: Reader, json, path) => {
    expect(decode(codec, json, { object: 'it', code: 'POD.INVALID' })).toMatchObject({
      ok: false,
      error: { code: 'POD.INVALID', path, message: expect.stringMatching(/^it: \S+ (?:must be|is missing)/) },
    })
  })

  it('of a list or a dictionary of texts is not copied: a cold start reads a hundred thousand pods', () => {
    const labels = { a: 'b', c: 'd' }
    const read = decode(dictionary(text), labels, { object: 'it' })
    expect(read.ok && read.value).toBe(labels)
    expect(dictionary(text).write(labels)).toBe(labels)
    const names = ['a', 'b']
    expect(list(text).write(names)).toBe(names)
  })

  it('is read as another where the codec says so, in every item', () => {
    const double: Codec<number> = { read: (json, trail) => 2 * integer.read(json, trail), write: (value) => value / 2 }
    expect(decode(list(double), [1, 2], { object: 'it' })).toEqual({ ok: true, value: [2, 4] })
    expect(list(double).write([2, 4])).toEqual([1, 2])
    expect(decode(dictionary(double), { a: 1, b: 0, c: 2 }, { object: 'it' })).toEqual({ ok: true, value: { a: 2, b: 0, c: 4 } })
    expect(dictionary(double).write({ a: 2, b: 0 })).toEqual({ a: 1, b: 0 })
    const broken = decode(dictionary(double), { a: 1, b: 'x' }, { object: 'it' })
    expect(broken).toMatchObject({ ok: false, error: { path: '["b"]' } })
  })
})

describe('a part that repeats', () => {
  const codec = record<Sized>({ name: text, requests: repeated(dictionary(integer)) })
  const read = (name: string, requests: unknown) => decode(codec, { name, requests }, { object: name })
  const requestsOf = (name: string, requests: unknown): unknown => {
    const result = read(name, requests)
    return result.ok ? result.value.requests : result.error
  }

  it('is one in memory as long as it stays equal', () => {
    const first = requestsOf('a', { cpu: 1, memory: 2 })
    expect(first).toEqual({ cpu: 1, memory: 2 })
    expect(requestsOf('b', { cpu: 1, memory: 2 })).toBe(first)
  })

  it('is read anew when it changes, or lacks something', () => {
    const first = requestsOf('a', { cpu: 1, memory: 2 })
    expect(requestsOf('b', { cpu: 1 })).toEqual({ cpu: 1 })
    const again = requestsOf('c', { cpu: 1, memory: 2 })
    expect(again).toEqual(first)
    expect(again).not.toBe(first)
  })

  it('is refused as any other, and the next is none the worse', () => {
    const first = requestsOf('a', { cpu: 1 })
    expect(requestsOf('b', { cpu: 'much' })).toMatchObject({ code: 'INPUT.INVALID', message: expect.stringContaining('requests["cpu"]') })
    expect(requestsOf('c', { cpu: 1 })).toBe(first)
  })
})
