import { describe, expect, it } from 'vitest'
import { isLabelValue, isQualifiedName, isRestricted } from './labels.ts'
import { validateRequirement } from './requirementSpecs.ts'
import type { RequirementSpec } from './requirements.ts'

describe('a requirement', () => {
  const table: { [name: string]: { spec: Partial<RequirementSpec>; want: readonly string[] } } = {
    'on a label of ones own': { spec: {}, want: [] },
    'under an alias': { spec: { key: 'beta.kubernetes.io/arch' }, want: [] },
    'of an unknown operator': { spec: { operator: 'Equals' as never }, want: ['operator "Equals" is none of'] },
    'on a restricted label': { spec: { key: 'karpenter.sh/registered' }, want: ['restricted'] },
    'on a key that is no name': { spec: { key: 'a b' }, want: ['not a qualified name'] },
    'with a value that cannot be one': { spec: { values: ['ok', '-no'] }, want: ['value "-no"'] },
    'In without values': { spec: { values: [] }, want: ['at least one value'] },
    'with fewer values than minValues': { spec: { values: ['a'], minValues: 2 }, want: ['minValues 2 needs as many values'] },
    'NotIn without values': { spec: { operator: 'NotIn', values: [] }, want: [] },
    'Gt with one integer': { spec: { operator: 'Gt', values: ['0'] }, want: [] },
    'Lt with two integers': { spec: { operator: 'Lt', values: ['1', '2'] }, want: ['exactly one integer'] },
    'Gte with a word': { spec: { operator: 'Gte', values: ['a'] }, want: ['exactly one integer'] },
    'Lte with a negative integer': { spec: { operator: 'Lte', values: ['-1'] }, want: ['value "-1"', 'exactly one integer'] },
    'on capacity types that exist': { spec: { key: 'karpenter.sh/capacity-type', values: ['spot', 'cheap'] }, want: [] },
    'on no capacity type that exists': {
      spec: { key: 'karpenter.sh/capacity-type', values: ['cheap'] },
      want: ['name at least one capacity type'],
    },
    'on fewer capacity types that exist than minValues': {
      spec: { key: 'karpenter.sh/capacity-type', values: ['spot', 'cheap'], minValues: 2 },
      want: ['as many capacity types'],
    },
    'with several faults names them all': {
      spec: { key: 'kubernetes.io/hostname', values: [] },
      want: ['restricted', 'at least one value'],
    },
  }
  for (const [name, { spec, want }] of Object.entries(table)) {
    it(name, () => {
      const found = validateRequirement({ key: 'team', operator: 'In', values: ['a'], ...spec })
      expect(found.map(({ message }) => message)).toEqual(want.map((text) => expect.stringContaining(text)))
    })
  }
})

describe('a label is restricted', () => {
  const table: { [key: string]: boolean } = {
    'karpenter.sh/registered': true,
    'karpenter.sh/capacity-type': false,
    'karpenter.sh/nodepool': false,
    'a.karpenter.sh/b': true,
    'xkarpenter.sh/b': false,
    'karpenter.azure.com/sku-cpu': false,
    'karpenter.azure.com/sku-hyperv-generation': true,
    'karpenter.azure.com/own': true,
    'kubernetes.io/hostname': true,
    'eks-node-viewer/instance-price': true,
    'kubernetes.io/own': false,
    'k8s.io/own': false,
    team: false,
  }
  for (const [key, want] of Object.entries(table)) it(`${key}: ${want}`, () => expect(isRestricted(key)).toBe(want))
})

describe('names and values', () => {
  const names: { [name: string]: boolean } = {
    a: true,
    'a.b/C_d-e': true,
    'A/b': false,
    '/b': false,
    'a/': false,
    'a/b/c': false,
    '': false,
    '-a': false,
    [`a/${'b'.repeat(64)}`]: false,
    [`${'a'.repeat(254)}/b`]: false,
  }
  for (const [name, want] of Object.entries(names))
    it(`the name ${name.slice(0, 12)} is ${want ? '' : 'not '}one`, () => expect(isQualifiedName(name)).toBe(want))
  const values: { [value: string]: boolean } = {
    '': true,
    a: true,
    'a.b_c-D': true,
    '.a': false,
    'a-': false,
    'a b': false,
    ['a'.repeat(64)]: false,
  }
  for (const [value, want] of Object.entries(values))
    it(`the value "${value.slice(0, 12)}" is ${want ? '' : 'not '}one`, () => expect(isLabelValue(value)).toBe(want))
})
