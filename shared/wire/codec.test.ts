import { describe, expect, it } from 'vitest'
import { decode, dictionary, integer, record, repeated, text } from './codec.ts'

type Sized = { readonly name: string; readonly requests: { readonly [name: string]: number } }

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
