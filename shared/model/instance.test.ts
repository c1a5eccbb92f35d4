import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { changedTags, parseTags, printTags, TAG, userTags } from './instance.ts'
import type { Labels } from './labels.ts'

const name = fc.oneof(
  fc.constantFrom('team', 'Team', 'TEAM', 'cost/center', 'cost_center', '__proto__', ...Object.values(TAG)),
  fc.string(),
)
const tags: fc.Arbitrary<Labels> = fc.dictionary(name, fc.string({ maxLength: 4 }), { maxKeys: 5, noNullPrototype: true })
const lower = (of: Labels) => Object.keys(of).map((each) => each.toLowerCase())

describe('tags of users', () => {
  it('IU-01, IU-04 are those of the class over those of the settings, as Azure spells them', () => {
    const spec = nodeClass({ spec: { tags: { Team: 'blue', 'cost/center': '7' } } })
    expect(userTags(spec, { team: 'red', owner: 'me' })).toEqual({ owner: 'me', Team: 'blue', cost_center: '7' })
  })

  it('never take the place of a tag of our own, in whatever case, and no two differ in case only', () => {
    fc.assert(
      fc.property(tags, tags, (ofClass, ofSettings) => {
        const names = lower(userTags(nodeClass({ spec: { tags: ofClass } }), ofSettings))
        expect(new Set(names).size).toBe(names.length)
        for (const own of Object.values(TAG)) expect(names).not.toContain(own.toLowerCase())
        expect(names.some((each) => each.includes('/'))).toBe(false)
      }),
    )
  })

  it.each([undefined, '', '{', '[]', 'null', '1', '{"a":1}'])('count as none if the annotation is %s', (text) =>
    expect(parseTags(text)).toEqual({}),
  )

  it('IU-02, IU-09 are the same text in any order, and another text for another value', () => {
    fc.assert(
      fc.property(tags, (of) => {
        expect(printTags(Object.fromEntries(Object.entries(of).reverse()))).toBe(printTags(of))
        expect(printTags(parseTags(printTags(of)))).toBe(printTags(of))
      }),
    )
    expect(printTags({ a: '1' })).not.toBe(printTags({ a: '01' }))
  })
})

describe('a change of tags', () => {
  it.each<readonly [string, Labels, { readonly wanted: Labels; readonly before: Labels }, Labels | undefined]>([
    ['adds', { own: '1' }, { wanted: { own: '1', a: 'b' }, before: {} }, { own: '1', a: 'b' }],
    ['changes', { a: 'b' }, { wanted: { a: 'c' }, before: { a: 'b' } }, { a: 'c' }],
    ['removes what was written before', { a: 'b', own: '1' }, { wanted: { own: '1' }, before: { a: 'b' } }, { own: '1' }],
    ['keeps what others wrote', { policy: 'x' }, { wanted: { a: 'b' }, before: {} }, { policy: 'x', a: 'b' }],
    ['brings back what others removed', {}, { wanted: { own: '1' }, before: {} }, { own: '1' }],
    ['changes the case of a name', { TEAM: 'x' }, { wanted: { team: 'x' }, before: {} }, { team: 'x' }],
    ['writes nothing if nothing changes', { b: '2', a: '1' }, { wanted: { a: '1' }, before: { a: '0' } }, undefined],
  ])('IU-04, IU-05 %s', (_what, existing, change, after) => expect(changedTags(existing, change)).toEqual(after))

  it('loses no tag that is wanted or of somebody else, and a second one changes nothing', () => {
    fc.assert(
      fc.property(tags, tags, tags, (existing, wantedOf, before) => {
        const wanted = userTags(nodeClass({ spec: { tags: wantedOf } }))
        const after = changedTags(existing, { wanted, before }) ?? existing
        expect(after).toMatchObject(wanted)
        const ours = new Set([...lower(wanted), ...lower(before)])
        for (const [each, value] of Object.entries(existing)) if (!ours.has(each.toLowerCase())) expect(after[each]).toBe(value)
        for (const gone of lower(before)) if (!lower(wanted).includes(gone)) expect(lower(after)).not.toContain(gone)
        expect(changedTags(after, { wanted, before })).toBeUndefined()
      }),
    )
  })
})
