import { describe, expect, it } from 'vitest'
import { changedFacts, completed, hashesAnnotation, hashesOf } from './clusterFacts.ts'
import { factHash } from './driftHash.ts'
import { ANNOTATION } from './labels.ts'

describe('hashes of the facts of a cluster', () => {
  it('are read as they were written, in any order', () => {
    const annotation = hashesAnnotation({ b: '2', a: '1' })
    expect(annotation).toEqual({ [ANNOTATION.clusterFacts]: 'v1 a=1 b=2' })
    expect(hashesOf(annotation)).toEqual({ a: '1', b: '2' })
    expect([
      hashesAnnotation({}),
      hashesAnnotation(undefined),
      hashesOf({}),
      hashesOf({ [ANNOTATION.clusterFacts]: 'v1 nonsense = a' }),
    ]).toEqual([{}, {}, {}, {}])
  })

  it('name what has changed, and nothing that was not known or is not known any more', () => {
    expect(changedFacts({ a: '1', b: '1', gone: '1' }, { b: '2', a: '1', added: '1', c: '1' })).toEqual(['b'])
    expect(changedFacts({}, { constructor: '1' })).toEqual([])
  })

  it('are completed, and never changed', () => {
    const then = { [ANNOTATION.clusterFacts]: 'v1 a=old' }
    expect(completed(then, { a: 'new', b: '2' })).toEqual({ [ANNOTATION.clusterFacts]: 'v1 a=old b=2' })
    expect([completed(then, { a: 'new' }), completed(then, undefined), completed({}, {})]).toEqual([undefined, undefined, undefined])
  })

  it.each(['', 'v0 ', 'v2 ', 'v1', 'a=1 v1 '])('are not known if another version wrote them, and are completed: %j', (version) => {
    const then = { [ANNOTATION.clusterFacts]: `${version}a=old` }
    expect(hashesOf(then)).toEqual({})
    expect(completed(then, { a: 'new' })).toEqual({ [ANNOTATION.clusterFacts]: 'v1 a=new' })
  })

  it('are those of the value: the order of a list and members without a value do not count', () => {
    expect(factHash({ noProxy: ['b', 'a'], https: undefined })).toBe(factHash({ noProxy: ['a', 'b'] }))
    expect(factHash({ noProxy: ['a'] })).not.toBe(factHash({ noProxy: ['a', 'b'] }))
    expect(factHash(undefined)).not.toBe(factHash({ http: 'http://a:1' }))
  })
})
