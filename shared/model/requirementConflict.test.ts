import { describe, expect, it } from 'vitest'
import { WELL_KNOWN_LABELS } from './labels.ts'
import { conflicts, describeConflict, describeRequirements, nearestLabel, overlapConflicts, restrictedText } from './requirementConflict.ts'
import { type Operator, type RequirementSpec, type Requirements, requirementsFrom } from './requirements.ts'

/** Parses requirements of test tables: `k In a b; j Exists`. */
function parse(text: string): Requirements {
  const specs = text.split('; ').flatMap((part): RequirementSpec[] => {
    const [key = '', operator, ...values] = part.split(' ')
    return operator ? [{ key, operator: operator as Operator, values }] : []
  })
  return requirementsFrom(specs)
}

const strict: ReadonlySet<string> = new Set()

describe('what one has and another asks for, strictly', () => {
  const table: { [pair: string]: 'ok' | 'conflict' } = {
    'nothing | k In a': 'conflict',
    'nothing | k Exists': 'conflict',
    'nothing | k Gt 1': 'conflict',
    'nothing | k Lt 1': 'conflict',
    'nothing | k NotIn a': 'ok',
    'nothing | k DoesNotExist': 'ok',
    'k DoesNotExist | k NotIn a': 'ok',
    'k NotIn a | k DoesNotExist': 'ok',
    'k DoesNotExist | k DoesNotExist': 'ok',
    'k Exists | k DoesNotExist': 'conflict',
    'k DoesNotExist | k Exists': 'conflict',
    'k In a | k NotIn a': 'conflict',
    'k NotIn a | k NotIn b': 'ok',
    'k In a | k DoesNotExist': 'conflict',
    'k In a b | k In b c': 'ok',
    'k In a | k In b': 'conflict',
    'k In 5 | k Gt 4': 'ok',
    'k In 5 | k Gt 5': 'conflict',
    'k In a; j In b | k In a; j In c': 'conflict',
  }
  for (const [pair, want] of Object.entries(table)) {
    const [self = '', incoming = ''] = pair.split(' | ')
    it(`${pair}: ${want}`, () => expect(conflicts(parse(self), parse(incoming), strict)).toHaveLength(want === 'ok' ? 0 : 1))
  }
})

describe('corners where the published rules say less than Kubernetes does', () => {
  it('exclusions that use up a finite range conflict', () => {
    expect(conflicts(parse('k Gte 5; k Lte 5'), parse('k NotIn 5'), strict)).toHaveLength(1)
  })
  it('a bound needs the label: DoesNotExist conflicts with it, exclusions or not', () => {
    expect(conflicts(parse('k DoesNotExist'), parse('k NotIn 5; k Gt 3'), strict)).toHaveLength(1)
    expect(conflicts(parse('nothing'), parse('k NotIn 5; k Gt 3'), strict)).toHaveLength(1)
  })
  it('Exists beside NotIn needs the label', () => {
    expect(conflicts(parse('nothing'), parse('k NotIn a; k Exists'), strict)).toHaveLength(1)
  })
  it('demands that contradict each other are met by nothing, least of all by an absent label', () => {
    expect(conflicts(parse('nothing'), parse('k In a; k In b'), strict)).toHaveLength(1)
    expect(conflicts(parse('k DoesNotExist'), parse('k In a; k In b'), strict)).toHaveLength(1)
  })
})

describe('labels that may be undefined', () => {
  it('are no conflict where nobody defines them', () => {
    expect(conflicts(parse('nothing'), parse('k In a; j In b'), new Set(['k']))).toEqual([
      { key: 'j', incoming: { key: 'j', complement: false, values: ['b'] } },
    ])
  })
  it('still conflict where they are defined', () => {
    expect(conflicts(parse('k In b'), parse('k In a'), new Set(['k']))).toHaveLength(1)
  })
})

describe('overlap', () => {
  it('looks only at keys both know, whichever has more', () => {
    expect(overlapConflicts(parse('k In a'), parse('k In b; j In c; i In d'))).toMatchObject([
      { key: 'k', existing: { values: ['a'] }, incoming: { values: ['b'] } },
    ])
    expect(overlapConflicts(parse('k In a; j In c; i In d'), parse('k In b'))).toMatchObject([
      { key: 'k', existing: { values: ['a'] }, incoming: { values: ['b'] } },
    ])
    expect(overlapConflicts(parse('k In a'), parse('j In b'))).toEqual([])
  })
})

describe('in words', () => {
  const known = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']
  const only = (self: string, incoming: string): string =>
    conflicts(parse(self), parse(incoming), strict)
      .map((one) => describeConflict(one, known))
      .join('; ')
  const table: { [name: string]: { got: () => string; want: string } } = {
    'two sets without a common value': { got: () => only('k In a', 'k In b'), want: 'key k, k In [b] not in k In [a]' },
    'an unknown label': { got: () => only('nothing', 'team In a'), want: 'label "team" does not have known values' },
    'a part of a known label': {
      got: () => only('nothing', 'zone In a'),
      want: 'label "zone" does not have known values (typo of "topology.kubernetes.io/zone"?)',
    },
    'a known name under another domain': {
      got: () => only('nothing', 'topology.k8s.io/region In a'),
      want: 'label "topology.k8s.io/region" does not have known values (typo of "topology.kubernetes.io/region"?)',
    },
    'every key that fails': {
      got: () => only('k In a; j In a', 'k In b; j In b'),
      want: 'key k, k In [b] not in k In [a]; key j, j In [b] not in j In [a]',
    },
    'five values at most': { got: () => describeRequirements(parse('k In 1 2 3 4 5 6 7')), want: 'k In [1 2 3 4 5 and 2 others]' },
    bounds: { got: () => describeRequirements(parse('k Gt 1; k Lte 9')), want: 'k Exists >=2 <=9' },
    'no list for existence': { got: () => describeRequirements(parse('b DoesNotExist; a Exists')), want: 'a Exists, b DoesNotExist' },
    'the host name left out': { got: () => describeRequirements(parse('kubernetes.io/hostname In a; z In b')), want: 'z In [b]' },
    minValues: {
      got: () => describeRequirements(requirementsFrom([{ key: 'k', operator: 'In', values: ['a'], minValues: 1 }])),
      want: 'k In [a] minValues 1',
    },
  }
  for (const [name, { got, want }] of Object.entries(table)) it(name, () => expect(got()).toBe(want))
})

describe('a label with a typing error', () => {
  it.each([
    ['karpenter.azure.com/sku-famly', 'karpenter.azure.com/sku-family'],
    ['karpenter.azure.com/sku-memroy', 'karpenter.azure.com/sku-memory'],
    ['karpenter.azure.com/skucpu', 'karpenter.azure.com/sku-cpu'],
    ['karpenter.sh/capacitytype', 'karpenter.sh/capacity-type'],
    ['karpenter.sh/capacity_type', 'karpenter.sh/capacity-type'],
    ['karpenter.azure.com/team', undefined],
    ['team', undefined],
  ])('%s may mean %s', (key, meant) => expect(nearestLabel(key)).toBe(meant))

  it('is found for every known label, with one letter too few', () => {
    const lost = [...WELL_KNOWN_LABELS].filter((label) => nearestLabel(label.slice(0, -1)) !== label)
    expect(lost).toEqual([])
  })

  it('is told with the label that it may mean, and where the list is', () => {
    expect(restrictedText('karpenter.azure.com/sku-famly')).toBe(
      'the label is restricted (did you mean karpenter.azure.com/sku-family?); use a label of your own domain, or a well-known label of docs/reference.md',
    )
    expect(restrictedText('karpenter.sh/team')).toBe(
      'the label is restricted; use a label of your own domain, or a well-known label of docs/reference.md',
    )
  })
})
