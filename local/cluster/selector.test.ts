import { describe, expect, it } from 'vitest'
import { selects, selectsNode } from './selector.ts'
import { testNode, testPod } from './testing/objects.ts'

const OPERATORS: { readonly [sentence: string]: { readonly term: object; readonly want: boolean } } = {
  'In with the value': { term: { key: 'zone', operator: 'In', values: ['1', '2'] }, want: true },
  'In without the value': { term: { key: 'zone', operator: 'In', values: ['3'] }, want: false },
  'NotIn with another value': { term: { key: 'zone', operator: 'NotIn', values: ['3'] }, want: true },
  'NotIn without the label': { term: { key: 'none', operator: 'NotIn', values: ['3'] }, want: true },
  'Exists with the label': { term: { key: 'zone', operator: 'Exists' }, want: true },
  'Exists without the label': { term: { key: 'none', operator: 'Exists' }, want: false },
  'DoesNotExist without the label': { term: { key: 'none', operator: 'DoesNotExist' }, want: true },
  'Gt below the value': { term: { key: 'cores', operator: 'Gt', values: ['7'] }, want: true },
  'Gt at the value': { term: { key: 'cores', operator: 'Gt', values: ['8'] }, want: false },
  'Lt above the value': { term: { key: 'cores', operator: 'Lt', values: ['10'] }, want: true },
  'Gt against what is no number': { term: { key: 'name', operator: 'Gt', values: ['1'] }, want: false },
  'an operator nobody knows': { term: { key: 'zone', operator: 'Near', values: ['1'] }, want: false },
}

describe('selectsNode', () => {
  const node = testNode('a', { labels: { zone: '1', cores: '8', name: 'x' } })
  const podWith = (terms: readonly object[]) =>
    testPod('p', { spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } } })
  for (const [sentence, { term, want }] of Object.entries(OPERATORS)) {
    it(sentence, () => expect(selectsNode(podWith([{ matchExpressions: [term] }]).spec, node)).toBe(want))
  }
  it('takes any of the terms', () => {
    const terms = [{ matchExpressions: [{ key: 'none', operator: 'Exists' }] }, { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }]
    expect(selectsNode(podWith(terms).spec, node)).toBe(true)
  })
  it('an empty term selects nothing', () => expect(selectsNode(podWith([{}]).spec, node)).toBe(false))
  it('knows the name as a field', () => {
    const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }]
    expect([selectsNode(podWith(terms).spec, node), selectsNode(podWith(terms).spec, testNode('b'))]).toEqual([true, false])
  })
  it('needs the node selector too', () =>
    expect(selectsNode(testPod('p', { spec: { nodeSelector: { zone: '2' } } }).spec, node)).toBe(false))
})

describe('selects', () => {
  it('an absent selector selects nothing', () => expect(selects(undefined, { a: 'b' })).toBe(false))
  it('an empty selector selects everything', () => expect(selects({}, undefined)).toBe(true))
})
