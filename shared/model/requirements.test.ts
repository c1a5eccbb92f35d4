import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toSpecs } from './requirementSpecs.ts'
import {
  admitsAbsence,
  anyValue,
  has,
  intersect,
  intersectAll,
  intersects,
  normaliseKey,
  type Operator,
  operatorOf,
  parseInteger,
  type Requirement,
  type RequirementSpec,
  requirementFrom,
  requirementsFrom,
  requirementsFromLabels,
  withRequirement,
} from './requirements.ts'

const spec = (operator: Operator, ...values: string[]): RequirementSpec => ({ key: 'k', operator, values })
const from = (operator: Operator, ...values: string[]): Requirement => requirementFrom(spec(operator, ...values))

/** Parses a requirement of test tables: `In a b`. */
function parse(text: string): Requirement {
  return text
    .split(' & ')
    .map((part) => {
      const [operator, ...values] = part.split(' ')
      return from(operator as Operator, ...values)
    })
    .reduce(intersect)
}

describe('canonical form', () => {
  const table: { [name: string]: { spec: RequirementSpec; want: Omit<Requirement, 'key'> } } = {
    'In holds its values, distinct and sorted': { spec: spec('In', 'b', 'a', 'b'), want: { complement: false, values: ['a', 'b'] } },
    'NotIn excludes its values': { spec: spec('NotIn', 'b', 'a'), want: { complement: true, values: ['a', 'b'] } },
    'Exists excludes nothing': { spec: spec('Exists'), want: { complement: true, values: [] } },
    'DoesNotExist holds nothing': { spec: spec('DoesNotExist'), want: { complement: false, values: [] } },
    'In without values is DoesNotExist': { spec: spec('In'), want: { complement: false, values: [] } },
    'Gt starts one above': { spec: spec('Gt', '4'), want: { complement: true, values: [], gte: 5 } },
    'Lt ends one below': { spec: spec('Lt', '4'), want: { complement: true, values: [], lte: 3 } },
    'Lt 0 ends at -1': { spec: spec('Lt', '0'), want: { complement: true, values: [], lte: -1 } },
    'Gte starts there': { spec: spec('Gte', '4'), want: { complement: true, values: [], gte: 4 } },
    'Lte ends there': { spec: spec('Lte', '4'), want: { complement: true, values: [], lte: 4 } },
    'a bound that is no number counts as 0': { spec: spec('Gte', 'x'), want: { complement: true, values: [], gte: 0 } },
    'nothing is greater than the largest integer, and minValues is lost': {
      spec: { ...spec('Gt', '9223372036854775807'), minValues: 2 },
      want: { complement: false, values: [], mustExist: true },
    },
    'nothing is less than the smallest integer': {
      spec: spec('Lt', '-9223372036854775808'),
      want: { complement: false, values: [], mustExist: true },
    },
    'minValues is kept': { spec: { ...spec('In', 'a', 'b'), minValues: 2 }, want: { complement: false, values: ['a', 'b'], minValues: 2 } },
  }
  for (const [name, { spec, want }] of Object.entries(table)) it(name, () => expect(requirementFrom(spec)).toEqual({ key: 'k', ...want }))
})

describe('aliases', () => {
  const table = {
    'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
    'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
    'beta.kubernetes.io/arch': 'kubernetes.io/arch',
    'beta.kubernetes.io/os': 'kubernetes.io/os',
    'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
    'topology.disk.csi.azure.com/zone': 'topology.kubernetes.io/zone',
    'example.com/own': 'example.com/own',
  }
  for (const [alias, want] of Object.entries(table)) it(`${alias} reads as ${want}`, () => expect(normaliseKey(alias)).toBe(want))

  it('reads the empty zone of the disk driver as the zone of regional nodes', () => {
    const requirement = requirementFrom({ key: 'topology.disk.csi.azure.com/zone', operator: 'In', values: ['', 'eastus-1'] })
    expect(requirement).toEqual({ key: 'topology.kubernetes.io/zone', complement: false, values: ['0', 'eastus-1'] })
  })
})

describe('operator', () => {
  const table = {
    'In a': 'In',
    'NotIn a': 'NotIn',
    Exists: 'Exists',
    DoesNotExist: 'DoesNotExist',
    'Gt 1': 'Exists',
    'Gt 1 & NotIn 5': 'NotIn',
  }
  for (const [text, want] of Object.entries(table)) it(`of ${text} is ${want}`, () => expect(operatorOf(parse(text))).toBe(want))
})

describe('membership', () => {
  const table: { [text: string]: { yes: string[]; no: string[] } } = {
    'In 1 a': { yes: ['1', 'a'], no: ['2', ''] },
    'NotIn 1 a': { yes: ['2', '', 'b'], no: ['1', 'a'] },
    Exists: { yes: ['1', 'a', ''], no: [] },
    DoesNotExist: { yes: [], no: ['1', 'a', ''] },
    'Gt 4': { yes: ['5', '05', '+5', '9223372036854775807'], no: ['4', '-5', 'a', '', '4.5', '9223372036854775808'] },
    'Lt 4': { yes: ['3', '-1', '-9223372036854775808'], no: ['4', 'a'] },
    'Gte 4': { yes: ['4'], no: ['3'] },
    'Lte 4': { yes: ['4'], no: ['5'] },
    'Gte 4 & NotIn 5': { yes: ['4', '6'], no: ['5', '3'] },
    'Gte 9007199254740993': { yes: ['9007199254740993', '9223372036854775807'], no: ['5'] },
  }
  for (const [text, { yes, no }] of Object.entries(table)) {
    it(text, () => {
      const requirement = parse(text)
      expect([...yes, ...no].filter((value) => has(requirement, value))).toEqual(yes)
    })
  }
})

describe('intersection', () => {
  const gone = { complement: false, values: [] }
  const never = { ...gone, mustExist: true } as const
  const table: { [text: string]: Omit<Requirement, 'key'> } = {
    'Exists & Exists': { complement: true, values: [] },
    'Exists & DoesNotExist': never,
    'Exists & In a': { complement: false, values: ['a'] },
    'Exists & NotIn a': { complement: true, values: ['a'], mustExist: true },
    'Exists & Gt 1': { complement: true, values: [], gte: 2 },
    'Exists & Lt 1': { complement: true, values: [], lte: 0 },
    'DoesNotExist & DoesNotExist': gone,
    'DoesNotExist & In a': never,
    'DoesNotExist & NotIn a': gone,
    'DoesNotExist & Gt 1': never,
    'DoesNotExist & Lte 1': never,
    'In a & In a': { complement: false, values: ['a'] },
    'In a & In b': never,
    'In a b & In b c': { complement: false, values: ['b'] },
    'In a b & NotIn b': { complement: false, values: ['a'] },
    'In a & NotIn a': never,
    'In 1 9 & Gt 1': { complement: false, values: ['9'] },
    'In 1 9 & Lt 9': { complement: false, values: ['1'] },
    'In a 9 & Gte 9': { complement: false, values: ['9'] },
    'In a & Gt 1': never,
    'NotIn a & NotIn b': { complement: true, values: ['a', 'b'] },
    'NotIn 1 2 & Gt 1': { complement: true, values: ['2'], gte: 2 },
    'NotIn 1 2 & Gt 9': { complement: true, values: [], gte: 10 },
    'NotIn 1 2 & Lt 9': { complement: true, values: ['1', '2'], lte: 8 },
    'NotIn a & Lt 9': { complement: true, values: [], lte: 8 },
    'Gt 1 & Lt 9': { complement: true, values: [], gte: 2, lte: 8 },
    'Gt 1 & Gt 9': { complement: true, values: [], gte: 10 },
    'Lt 1 & Lt 9': { complement: true, values: [], lte: 0 },
    'Gt 1 & Lt 1': never,
    'Gt 1 & Lt 2': never,
    'Gte 1 & Lte 1': { complement: true, values: [], gte: 1, lte: 1 },
    'Gte 5 & Gt 3': { complement: true, values: [], gte: 5 },
    'Lte 5 & Lt 5': { complement: true, values: [], lte: 4 },
  }
  for (const [text, want] of Object.entries(table)) it(`${text}`, () => expect(parse(text)).toEqual({ key: 'k', ...want }))

  it('keeps the larger minValues, also when nothing is left', () => {
    const few: Requirement = { ...from('In', 'a'), minValues: 1 }
    const many: Requirement = { ...from('In', 'b'), minValues: 3 }
    expect(intersect(few, many)).toEqual({ key: 'k', complement: false, values: [], minValues: 3, mustExist: true })
    expect(intersect({ ...from('Gt', '5'), minValues: 2 }, from('Lt', '5'))).toMatchObject({ minValues: 2 })
  })
})

describe('overlap', () => {
  const table: { [pair: string]: boolean } = {
    'Exists | DoesNotExist': false,
    'DoesNotExist | DoesNotExist': false,
    'NotIn a | NotIn b': true,
    'In a | NotIn a': false,
    'In a b | NotIn a': true,
    'In a b | In b': true,
    'Gt 4 | Lt 6': true,
    'Gt 5 | Lt 6': false,
    'In 5 | Gt 4': true,
    'In x | Gt 4': false,
    'exclusions that cover a finite range leave nothing': false,
  }
  for (const [pair, want] of Object.entries(table)) {
    it(pair, () => {
      const [first = '', second = ''] = pair.includes('|') ? pair.split(' | ') : ['NotIn 5 7', 'Gte 5 & Lte 7 & NotIn 6']
      expect([intersects(parse(first), parse(second)), intersects(parse(second), parse(first))]).toEqual([want, want])
    })
  }
})

describe('a concrete value', () => {
  const table: { [text: string]: string | undefined } = {
    'In b a': 'a',
    'NotIn a': '0',
    'NotIn 0 1': '2',
    Exists: '0',
    'Gte 5': '5',
    'Gte 5 & NotIn 5 6': '7',
    'Lt 0': '-1',
    'Lt 0 & NotIn -1': '-2',
    'Lte 4': '0',
    'Gte 5 & Lte 6 & NotIn 5 6': undefined,
    DoesNotExist: undefined,
    'In a & In b': undefined,
  }
  for (const [text, want] of Object.entries(table)) it(`of ${text} is ${want}`, () => expect(anyValue(parse(text))).toBe(want))
})

describe('integers of label values', () => {
  const table: { [text: string]: number | undefined } = {
    '5': 5,
    '+5': 5,
    '-5': -5,
    '007': 7,
    '': undefined,
    '5.0': undefined,
    '9007199254740993': Number.MAX_SAFE_INTEGER,
    '-9007199254740993': Number.MIN_SAFE_INTEGER,
    '9223372036854775808': undefined,
  }
  for (const [text, want] of Object.entries(table)) it(`"${text}" is ${want}`, () => expect(parseInteger(text)).toBe(want))
})

describe('algebra', () => {
  const value = fc.constantFrom('a', 'b', 'c', '', '0', '1', '2', '3', '4', '5', '-1', '05')
  const atom = fc.record({
    operator: fc.constantFrom<Operator>('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'),
    values: fc.array(value, { minLength: 1, maxLength: 4 }),
    bound: fc.integer({ min: -2, max: 6 }),
    minValues: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  })
  const requirement = fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) =>
    atoms
      .map(({ operator, values, bound, minValues }) => {
        const isComparison = ['Gt', 'Lt', 'Gte', 'Lte'].includes(operator)
        return requirementFrom({
          key: 'k',
          operator,
          values: isComparison ? [String(bound)] : operator === 'In' || operator === 'NotIn' ? values : [],
          ...(minValues === undefined ? {} : { minValues }),
        })
      })
      .reduce(intersect),
  )

  it('intersection commutes', () => {
    fc.assert(fc.property(requirement, requirement, (a, b) => void expect(intersect(a, b)).toEqual(intersect(b, a))))
  })
  it('intersection associates', () => {
    fc.assert(
      fc.property(
        requirement,
        requirement,
        requirement,
        (a, b, c) => void expect(intersect(intersect(a, b), c)).toEqual(intersect(a, intersect(b, c))),
      ),
    )
  })
  it('intersection is idempotent', () => {
    fc.assert(fc.property(requirement, (a) => void expect(intersect(a, a)).toEqual(a)))
  })
  it('a value meets the intersection exactly when it meets both', () => {
    fc.assert(fc.property(requirement, requirement, value, (a, b, v) => void expect(has(intersect(a, b), v)).toBe(has(a, v) && has(b, v))))
  })
  it('the label may be absent under the intersection exactly when it may under both', () => {
    fc.assert(
      fc.property(
        requirement,
        requirement,
        (a, b) => void expect(admitsAbsence(intersect(a, b))).toBe(admitsAbsence(a) && admitsAbsence(b)),
      ),
    )
  })
  it('the value picked stays below an upper bound whose own value is excluded', () => {
    expect(anyValue({ key: 'k', complement: true, values: ['0'], lte: 0 })).toBe('-1')
    expect(anyValue({ key: 'k', complement: true, values: ['0', '1'], lte: 1 })).toBe('-1')
    expect(anyValue({ key: 'k', complement: true, values: ['0'], lte: 1 })).toBe('1')
  })
  it('two requirements overlap exactly when their intersection has a value', () => {
    fc.assert(
      fc.property(requirement, requirement, (a, b) => {
        const found = anyValue(intersect(a, b))
        expect(intersects(a, b)).toBe(found !== undefined)
        if (found !== undefined) expect([has(a, found), has(b, found)]).toEqual([true, true])
      }),
    )
  })
  it('printing as specs and parsing gives the same requirements', () => {
    fc.assert(
      fc.property(requirement, (a) => {
        const requirements = new Map([['k', a]])
        expect(requirementsFrom(toSpecs(requirements))).toEqual(requirements)
      }),
    )
  })
})

describe('sets of requirements', () => {
  const specs: RequirementSpec[] = [
    { key: 'z', operator: 'In', values: ['1', '2'] },
    { key: 'a', operator: 'Exists', values: [] },
    { key: 'z', operator: 'NotIn', values: ['2'] },
  ]
  it('intersect the specs of one key', () => {
    expect(toSpecs(requirementsFrom(specs))).toEqual([
      { key: 'a', operator: 'Exists', values: [] },
      { key: 'z', operator: 'In', values: ['1'] },
    ])
  })
  it('come from labels, aliases included', () => {
    expect(toSpecs(requirementsFromLabels({ 'beta.kubernetes.io/os': 'linux', team: 'a' }))).toEqual([
      { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
      { key: 'team', operator: 'In', values: ['a'] },
    ])
  })
  it('leave the sets they were made from alone', () => {
    const set = requirementsFrom(specs)
    const narrowed = withRequirement(set, requirementFrom({ key: 'z', operator: 'DoesNotExist', values: [] }))
    expect([set.get('z')?.values, narrowed.get('z')?.values]).toEqual([['1'], []])
    expect(intersectAll(set, requirementsFromLabels({ new: 'x' })).size).toBe(3)
    expect(intersectAll(set, new Map())).toBe(set)
  })
})
