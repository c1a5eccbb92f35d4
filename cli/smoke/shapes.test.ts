import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SmokeAnswer } from './record.ts'
import { fieldsOf, firstOfEachForm, missingFields, pathTemplate } from './shapes.ts'

const answer = (body: unknown, more: Partial<SmokeAnswer> = {}): SmokeAnswer => ({
  method: 'GET',
  path: '/subscriptions/{}',
  status: 200,
  headers: {},
  body,
  times: 1,
  ...more,
})

describe('the path of a request', () => {
  it.each([
    ['/subscriptions/s', '/subscriptions/{}'],
    [
      '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/vm/instanceView',
      '/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Compute/virtualMachines/{}/instanceView',
    ],
    [
      '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n/providers/Microsoft.Authorization/permissions',
      '/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Network/virtualNetworks/{}/subnets/{}/providers/Microsoft.Authorization/permissions',
    ],
    ['/subscriptions/s/providers/Microsoft.Compute/skus', '/subscriptions/{}/providers/Microsoft.Compute/skus'],
  ])('%s has no name in its template', (path, want) => expect(pathTemplate(path)).toBe(want))
})

describe('the form of a value', () => {
  it('is its fields with their types', () => {
    const value = { id: 'a', tags: { team: 'x' }, list: [{ n: 1 }, { n: null }], empty: {} }
    expect(fieldsOf(value)).toEqual(['.empty:object', '.id:string', '.list:list', '.list[].n:null', '.list[].n:number', '.tags.*:string'])
  })

  it('stays the same without the items that tell nothing new', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ a: fc.nat(), b: fc.string() }, { requiredKeys: [] }), { maxLength: 20 }), (list) => {
        expect(fieldsOf(firstOfEachForm({ list }))).toEqual(fieldsOf({ list }))
      }),
    )
    expect(firstOfEachForm([{ a: 1 }, { a: 2 }, { b: 1 }])).toEqual([{ a: 1 }, { b: 1 }])
  })
})

describe('the fields that an emulator lacks', () => {
  const azure = [answer({ id: 'x', properties: { vmId: 'y', timeCreated: 'z' } }, { headers: { etag: '"1"' } })]

  it('are none where its answers have them all, in whatever answer of the kind', () => {
    const emulator = [
      answer({ id: '1', properties: { vmId: '2' } }),
      answer({ id: '1', properties: { timeCreated: '3' } }, { headers: { etag: '"9"' } }),
    ]
    expect(missingFields(azure, emulator)).toEqual([])
  })

  it('are each field and header by its name, also one whose type differs', () => {
    const emulator = [answer({ id: 1, properties: { vmId: 'y' } })]
    const kind = 'GET /subscriptions/{} 200'
    expect(missingFields(azure, emulator)).toEqual([
      `${kind}: .id:string`,
      `${kind}: .properties.timeCreated:string`,
      `${kind}: header etag`,
    ])
  })

  it('are not looked for in answers of another kind', () => {
    expect(missingFields(azure, [answer({}, { status: 404 })])).toEqual([])
  })

  it('are found for any field that is taken away', () => {
    const body = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(fc.string(), fc.nat(), fc.boolean()), { minKeys: 1, maxKeys: 6 })
    fc.assert(
      fc.property(body, fc.nat(), (whole, at) => {
        const taken = Object.keys(whole)[at % Object.keys(whole).length] ?? ''
        const { [taken]: _, ...rest } = whole
        expect(missingFields([answer(whole)], [answer(rest)])).toEqual([`GET /subscriptions/{} 200: .${taken}:${typeof whole[taken]}`])
        expect(missingFields([answer(whole)], [answer(whole)])).toEqual([])
      }),
    )
  })
})
