import { describe, expect, it } from 'vitest'
import { isNamed, listPages, readWatchEvent } from './collections.ts'

const SIGNAL = new AbortController().signal

const named = { metadata: { name: 'a', resourceVersion: '7' } }

describe('a line of a watch', () => {
  it.each(['ADDED', 'MODIFIED', 'DELETED'] as const)('%s brings its object', (type) => {
    expect(readWatchEvent(JSON.stringify({ type, object: named }))).toEqual({ type, object: named })
  })

  it('that is a bookmark brings its version, though its object may have a name', () => {
    expect(readWatchEvent(JSON.stringify({ type: 'BOOKMARK', object: named }))).toEqual({ type: 'BOOKMARK', version: '7' })
    expect(readWatchEvent('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}')).toEqual({ type: 'BOOKMARK', version: '8' })
  })

  it.each([undefined, null, {}, { metadata: null }, { metadata: {} }, { metadata: { name: 7 } }])(
    'about what has no name is passed over: %j',
    (object) => {
      expect(readWatchEvent(JSON.stringify({ type: 'ADDED', object }))).toEqual({ type: 'BOOKMARK', version: undefined })
    },
  )

  it('that is an error brings its code', () => {
    expect(readWatchEvent('{"type":"ERROR","object":{"code":410,"message":"too old"}}')).toEqual({
      type: 'ERROR',
      refusal: { status: 410, json: { code: 410, message: 'too old' } },
    })
    expect(readWatchEvent('{"type":"ERROR"}')).toMatchObject({ type: 'ERROR', refusal: { status: 500 } })
  })
})

describe('a page of a list', () => {
  const listOf = async (json: unknown) => {
    const items: unknown[] = []
    const listed = await listPages(
      async () => ({ status: 200, json }),
      { path: '/' },
      (item) => items.push(item),
      SIGNAL,
    )
    return listed.ok ? [items, listed.value.resourceVersion] : listed.error.json
  }

  it.each([
    { items: null, metadata: {} },
    { items: [], metadata: { continue: '' } },
    { items: [], metadata: null },
  ])('may be empty and the last: %j', async (list) => expect(await listOf(list)).toEqual([[], '']))

  it.each([undefined, null, [], {}, { items: {} }, { items: 'none' }])('is none: %j', async (json) => {
    expect(await listOf(json)).toEqual({ message: 'the answer is no list' })
  })

  it('may have entries without a name, which no object of an API server is', () => {
    const entries = [named, null, {}, { metadata: null }, { metadata: {} }, { metadata: { name: 7 } }, 'a']
    expect(entries.filter(isNamed)).toEqual([named])
  })
})
