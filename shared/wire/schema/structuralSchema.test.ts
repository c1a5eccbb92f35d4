import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { QUANTITY_PATTERN } from './parts.ts'
import { structuralSchema } from './structuralSchema.ts'

describe('the structural form', () => {
  it('of an object is open, and its members that must be there come in order', () => {
    const schema = z.strictObject({ b: z.string(), a: z.string(), c: z.string().optional() })
    const text = { type: 'string' }
    expect(structuralSchema(schema)).toEqual({ type: 'object', properties: { a: text, b: text, c: text }, required: ['a', 'b'] })
  })

  it('of a dictionary says what its values are, and nothing of its keys', () => {
    expect(structuralSchema(z.record(z.string().max(5), z.boolean()))).toEqual({
      type: 'object',
      additionalProperties: { type: 'boolean' },
    })
  })

  it.each([
    [z.int(), {}],
    [z.int32(), {}],
    [z.int().min(1).max(7), { minimum: 1, maximum: 7 }],
    [
      z
        .int()
        .min(-(2 ** 31))
        .max(2 ** 31 - 1),
      {},
    ],
  ])('of a whole number has the bounds that its type does not have', (schema, bounds) => {
    const { minimum, maximum } = structuralSchema(schema)
    expect(JSON.parse(JSON.stringify({ minimum, maximum }))).toEqual(bounds)
  })

  it('of a time has no pattern beside its format', () => {
    expect(structuralSchema(z.iso.datetime())).toEqual({ type: 'string', format: 'date-time' })
  })

  it('of a text has its pattern as the API server writes it', () => {
    expect(structuralSchema(z.string().regex(/^a\/b$/))).toEqual({ type: 'string', pattern: '^a/b$' })
    expect(structuralSchema(z.string().max(9).regex(/^a$/i))).toEqual({ type: 'string', maxLength: 9, pattern: '(?i)^a$' })
    expect(structuralSchema(z.string())).toEqual({ type: 'string' })
  })

  it('of a quantity is a whole number or a text', () => {
    expect(structuralSchema(z.any().meta({ 'x-kubernetes-int-or-string': true }))).toEqual({
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern: QUANTITY_PATTERN.source,
    })
  })

  it('asks for members that have a default where it is told to', () => {
    const schema = z.object({ b: z.string().default('x'), a: z.string() }).meta({ requiredDespiteDefault: ['b'] })
    const structure = structuralSchema(schema)
    expect(structure).toMatchObject({ required: ['a', 'b'] })
    expect(structure).not.toHaveProperty('requiredDespiteDefault')
    expect(structuralSchema(z.object({ b: z.string().default('x') }).meta({ requiredDespiteDefault: ['b'] }))).toMatchObject({
      required: ['b'],
    })
  })

  it('has no reference: a schema that is used twice stands there twice', () => {
    const shared = z.object({ a: z.string() })
    const printed = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    expect(structuralSchema(z.object({ x: shared.optional(), y: shared.optional() }))).toEqual({
      type: 'object',
      properties: { x: printed, y: printed },
    })
  })
})
