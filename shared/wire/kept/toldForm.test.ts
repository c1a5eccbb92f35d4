import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OBJECT_KINDS } from '../../model/clusterObjects.ts'
import { FULL_OBJECTS } from '../kube/testing/fullObjects.ts'
import { pathsOf, withMember } from '../testing/members.ts'
import { createPrune } from './prune.ts'
import { SAMPLES } from './testing/samples.ts'
import { KEPT_LISTS } from './told.ts'
import { isKeptLists, wrongInTold } from './toldForm.ts'

const TOLD: unknown = JSON.parse(JSON.stringify(KEPT_LISTS))
const PATHS = pathsOf(TOLD)
const deep = JSON.parse(`${'{"a":'.repeat(5_000)}true${'}'.repeat(5_000)}`)

it('the lists of this program can be followed, as JSON too', () => {
  expect([wrongInTold(KEPT_LISTS), wrongInTold(TOLD)]).toEqual([undefined, undefined])
})

it.each<[want: string, told: unknown]>([
  ['they have no number', undefined],
  ['they have no number', []],
  ['they have no number', { number: '2', kinds: {} }],
  ['they have no kinds', { number: 2, kinds: null }],
  ['the list of pod has another form', { number: 2, kinds: { pod: null } }],
  ['the list of pod has another form', { number: 2, kinds: { pod: false } }],
  ['the list of pod has another form', { number: 2, kinds: { pod: deep } }],
  ['the list of pod has another form', { number: 2, kinds: { pod: [{ keep: true, unless: [] }] } }],
  ['the list of pod has another form', { number: 2, kinds: { pod: [{ where: [{ at: [], is: [], not: [] }], keep: true }] } }],
  ['the list of node loses the key of the object', { number: 2, kinds: { node: [] } }],
  ['the list of pod loses the key of the object', { number: 2, kinds: { pod: { metadata: { name: true } } } }],
])('lists are refused: %s', (want, told) => expect(wrongInTold(told)).toBe(want))

it('lists of kinds to come are no reason to refuse the others', () => {
  expect(wrongInTold({ number: 2, kinds: { teapot: { spout: 7 } } })).toBe(undefined)
})

it('any lists are refused, or prune every object', () => {
  const values = [true, false, null, 7, 'a', {}, [], [{}], [{ keep: true }], [{ where: [{}], keep: true }], { a: 'b' }]
  const change = fc.tuple(fc.constantFrom(...PATHS), fc.constantFrom(...values))
  fc.assert(
    fc.property(change, ([path, value]) => {
      const told = withMember(TOLD, path, value)
      if (!isKeptLists(told)) return
      const prunes = new Map(OBJECT_KINDS.map((kind) => [kind, createPrune(told.kinds[kind] ?? [])]))
      for (const { kind, json } of [...FULL_OBJECTS, ...SAMPLES]) prunes.get(kind)?.(json)
    }),
    { numRuns: 200 },
  )
})
