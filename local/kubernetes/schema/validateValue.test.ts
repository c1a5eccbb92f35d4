import { describe, expect, it } from 'vitest'
import type { Json } from '../object/json.ts'
import type { StructuralSchema } from './structuralSchema.ts'
import { validateValue } from './validateValue.ts'

type Case = { readonly schema: object; readonly good: readonly Json[]; readonly bad: readonly (readonly [Json, string])[] }

/** For each rule of a schema: valid values and invalid values at its edge, with the errors of the invalid values. */
const RULES: { readonly [rule: string]: Case } = {
  'a type': {
    schema: { type: 'integer' },
    good: [1],
    bad: [
      [1.5, 'must be of type integer: "number"'],
      ['1', 'must be of type integer: "string"'],
      [[], 'must be of type integer: "array"'],
      [{}, 'must be of type integer: "object"'],
      [null, 'must be of type integer: "null"'],
    ],
  },
  'a number, whole or not': { schema: { type: 'number' }, good: [1, 1.5], bad: [['1', 'must be of type number']] },
  'a value that may be missing': { schema: { type: 'string', nullable: true }, good: [null, 'a'], bad: [[1, 'must be of type string']] },
  'a number or a text': {
    schema: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    good: [1, '10%'],
    bad: [
      [1.5, 'must be of type integer,string: "number"'],
      [true, 'must be of type integer,string: "boolean"'],
    ],
  },
  'a list of values': { schema: { type: 'string', enum: ['a', 'b'] }, good: ['a', 'b'], bad: [['c', 'supported values: "a", "b"']] },
  'a longest text': { schema: { type: 'string', maxLength: 2 }, good: ['', 'ab', '😀😀'], bad: [['abc', 'may not be more than 2 bytes']] },
  'a shortest text': { schema: { type: 'string', minLength: 2 }, good: ['ab'], bad: [['a', 'should be at least 2 chars long']] },
  'a pattern': { schema: { type: 'string', pattern: '^[a-z]+$' }, good: ['ab'], bad: [['A', "spec.x in body should match '^[a-z]+$'"]] },
  'a format': {
    schema: { type: 'string', format: 'date-time' },
    good: ['2026-01-01T00:00:00Z'],
    bad: [['soon', 'spec.x in body must be of type date-time: "soon"']],
  },
  'a least number': { schema: { type: 'integer', minimum: 1 }, good: [1], bad: [[0, 'greater than or equal to 1']] },
  'a least number that is too little itself': {
    schema: { type: 'integer', minimum: 1, exclusiveMinimum: true },
    good: [2],
    bad: [
      [1, 'should be greater than 1'],
      [0, 'greater than or equal to 1'],
    ],
  },
  'a greatest number': { schema: { type: 'integer', maximum: 5 }, good: [5], bad: [[6, 'less than or equal to 5']] },
  'a greatest number that is too much itself': {
    schema: { type: 'integer', maximum: 5, exclusiveMaximum: true },
    good: [4],
    bad: [
      [5, 'should be less than 5'],
      [6, 'less than or equal to 5'],
    ],
  },
  'a step': { schema: { type: 'integer', multipleOf: 5 }, good: [0, 10], bad: [[7, 'a multiple of 5']] },
  'a number of 32 bits': {
    schema: { type: 'integer', format: 'int32' },
    good: [2147483647, -2147483648],
    bad: [
      [2147483648, 'must be of type int32: 2147483648'],
      [-2147483649, 'must be of type int32'],
    ],
  },
  'a longest list': { schema: { type: 'array', maxItems: 1 }, good: [[], [1]], bad: [[[1, 2], 'Too many: 2: must have at most 1 items']] },
  'a shortest list': { schema: { type: 'array', minItems: 1 }, good: [[1]], bad: [[[], 'should have at least 1 items']] },
  'its items': {
    schema: { type: 'array', items: { type: 'integer', minimum: 1 } },
    good: [[1, 2]],
    bad: [[[1, 0], 'spec.x[1] in body should be greater than or equal to 1']],
  },
  'a member that must be there': {
    schema: { type: 'object', required: ['a'] },
    good: [{ a: 1 }],
    bad: [[{ b: 1 }, 'spec.x.a: Required value']],
  },
  'its members': {
    schema: { type: 'object', properties: { a: { type: 'integer' } } },
    good: [{ a: 1, b: 'any' }],
    bad: [[{ a: 'x' }, 'spec.x.a in body must be of type integer']],
  },
  'all further members': {
    schema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'integer' } },
    good: [{ a: 'x', b: 1 }],
    bad: [[{ b: 'x' }, 'spec.x.b in body must be of type integer']],
  },
  'most members': { schema: { type: 'object', maxProperties: 1 }, good: [{ a: 1 }], bad: [[{ a: 1, b: 2 }, 'Too many: 2']] },
  'fewest members': { schema: { type: 'object', minProperties: 1 }, good: [{ a: 1 }], bad: [[{}, 'should have at least 1 properties']] },
  'any of some': {
    schema: { anyOf: [{ minimum: 5 }, { maximum: 1 }] },
    good: [0, 6],
    bad: [[3, '"spec.x" must validate at least one schema (anyOf)']],
  },
  'one of some': {
    schema: { oneOf: [{ minimum: 5 }, { maximum: 7 }] },
    good: [4, 8],
    bad: [[6, 'must validate one and only one schema (oneOf)']],
  },
  'all of some': {
    schema: { allOf: [{ minimum: 5 }, { maximum: 7 }] },
    good: [6],
    bad: [
      [4, 'greater than or equal to 5'],
      [8, 'less than or equal to 7'],
    ],
  },
  'not one': { schema: { not: { minimum: 5 } }, good: [4], bad: [[5, 'must not validate the schema (not)']] },
}

function problems(schema: object, value: Json, old?: Json): readonly string[] {
  return validateValue(schema as StructuralSchema, { value, old, path: 'spec.x' }).map(({ path, body }) => `${path}: ${body}`)
}

describe('a schema with', () => {
  for (const [rule, { schema, good, bad }] of Object.entries(RULES)) {
    it(`${rule} takes what keeps to it, and says what does not`, () => {
      expect(good.map((value) => problems(schema, value))).toEqual(good.map(() => []))
      expect(bad.map(([value]) => problems(schema, value))).toEqual(bad.map(([, words]) => [expect.stringContaining(words)]))
    })
  }
})

describe('what did not change', () => {
  it('is not checked again, nor are members and items with the same key that did not', () => {
    const positive = { type: 'integer', minimum: 1 }
    expect(problems(positive, 0, 0)).toEqual([])
    expect(problems({ type: 'object', properties: { a: positive, b: positive } }, { a: 0, b: 0 }, { a: 0, b: 1 })).toEqual([
      expect.stringMatching(/^spec\.x\.b: /),
    ])
    const item = { type: 'object', properties: { name: { type: 'string' }, size: positive } }
    const keyed = { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }
    const before = [{ name: 'a', size: 0 }]
    const after = [
      { name: 'b', size: 0 },
      { name: 'a', size: 0 },
    ]
    expect(problems(keyed, after, before)).toEqual([expect.stringMatching(/^spec\.x\[0\]\.size: /)])
    expect(problems({ type: 'array', items: item }, after, before)).toHaveLength(2)
  })
})
