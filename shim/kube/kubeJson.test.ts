import { describe, expect, it } from 'vitest'
import { keyOf, readList, readWatchEvent } from './kubeJson.ts'

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
      code: 410,
      message: 'too old',
    })
    expect(readWatchEvent('{"type":"ERROR"}')).toMatchObject({ type: 'ERROR', code: 500 })
  })
})

describe('a page of a list', () => {
  it('has its objects, those without a name left out, its version and where it goes on', () => {
    const metadata = { resourceVersion: '9', continue: 'token' }
    expect(readList(JSON.stringify({ items: [named, null, {}, { metadata: null }], metadata }))).toEqual({
      items: [named],
      resourceVersion: '9',
      next: 'token',
    })
  })

  it.each([{}, { items: null, metadata: {} }, { items: [], metadata: { continue: '' } }])('may be empty and the last: %j', (list) => {
    expect(readList(JSON.stringify(list))).toEqual({ items: [], resourceVersion: '', next: undefined })
  })
})

describe('the key of an object', () => {
  it('has the namespace where there is one', () => {
    expect(keyOf({ metadata: { name: 'a' } })).toBe('a')
    expect(keyOf({ metadata: { name: 'a', namespace: 'b' } })).toBe('b/a')
  })
})
