// Checks whether Azure accepts the body of a resource.
import { isList, isObject, kindOf, Open, type Value, type ValueObject } from '../evaluate/value.ts'
import { kindOfRead } from './reads.ts'
import { type AzureType, type Located, propertiesOf, READ_ONLY, REQUIRED, type TypeIndex } from './typeIndex.ts'

export type BodyError = {
  readonly rule:
    | 'unknown-property'
    | 'missing-property'
    | 'read-only'
    | 'wrong-type'
    | 'literal'
    | 'open-literal'
    | 'bounds'
    | 'discriminator'
  readonly path: string
  readonly message: string
}

type Of<Name extends AzureType['$type']> = Extract<AzureType, { $type: Name }>

/** Returns what is wrong with a value. Paths begin at the properties of `body`. */
export function bodyErrors(value: Value, located: Located, path: string, index: TypeIndex): readonly BodyError[] {
  const { type } = located
  if (value instanceof Open) return wrongOpen(value, type, path, index)
  const wrongType = (wanted: string): readonly BodyError[] => [
    { rule: 'wrong-type', path, message: `must be ${wanted}, not ${kindOf(value)}` },
  ]
  switch (type.$type) {
    case 'AnyType':
      return []
    case 'BooleanType':
      return typeof value === 'boolean' ? [] : wrongType('bool')
    case 'IntegerType':
      return typeof value === 'number' ? outside(value, type.minValue, type.maxValue, path, 'the value') : wrongType('int')
    case 'StringType':
      return typeof value === 'string' ? wrongText(value, type, path) : wrongType('string')
    case 'StringLiteralType':
    case 'UnionType':
      return wrongLiteral(value, located, path, index)
    case 'ArrayType': {
      if (!isList(value)) return wrongType('array')
      const items = value.flatMap((item, at) => bodyErrors(item, located.resolve(type.itemType), `${path}[${at}]`, index))
      return [...outside(value.length, type.minLength, type.maxLength, path, 'the number of items'), ...items]
    }
    case 'ObjectType': {
      if (!isObject(value)) return wrongType('object')
      const { additionalProperties: others } = type
      return wrongsOfObject(value, { known: propertiesOf(located), others: others && located.resolve(others), located }, path, index)
    }
    case 'DiscriminatedObjectType':
      return isObject(value) ? wrongsOfVariant(value, type, located, path, index) : wrongType('object')
    case 'ResourceType':
    case 'ResourceFunctionType':
      return wrongType(type.$type)
  }
}

function wrongsOfVariant(
  value: ValueObject,
  type: Of<'DiscriminatedObjectType'>,
  located: Located,
  path: string,
  index: TypeIndex,
): readonly BodyError[] {
  const chosen = value[type.discriminator]
  const element = typeof chosen === 'string' && Object.hasOwn(type.elements, chosen) ? type.elements[chosen] : undefined
  if (element === undefined) {
    const message = `"${type.discriminator}" must be one of ${Object.keys(type.elements).join(', ')}`
    return [{ rule: 'discriminator', path, message }]
  }
  const variant = located.resolve(element)
  const known = new Map([...Object.entries(type.baseProperties), ...propertiesOf(variant)])
  const others = variant.type.$type === 'ObjectType' ? variant.type.additionalProperties : undefined
  return wrongsOfObject(value, { known, others: others && located.resolve(others), located }, path, index)
}

/** What an object may hold: named properties, and other properties of one type. `others` is undefined if there may be none. */
type Shape = { readonly known: ReturnType<typeof propertiesOf>; readonly others: Located | undefined; readonly located: Located }

function wrongsOfObject(value: ValueObject, shape: Shape, path: string, index: TypeIndex): readonly BodyError[] {
  const { known, others, located } = shape
  const pathOf = (key: string): string => (path === '' ? key : `${path}.${key}`)
  const wrongs = Object.entries(value).flatMap(([key, item]): readonly BodyError[] => {
    const property = known.get(key)
    // Null is not sent.
    if (item === null) return []
    if (property === undefined && others !== undefined) return bodyErrors(item, others, pathOf(key), index)
    if (property === undefined)
      return [{ rule: 'unknown-property', path: pathOf(key), message: `is no property that Azure knows${closest(key, known)}` }]
    if (isReadOnly(property.flags) && (property.flags & REQUIRED) === 0)
      return [{ rule: 'read-only', path: pathOf(key), message: 'is read-only: Azure sets it' }]
    return bodyErrors(item, located.resolve(property.type), pathOf(key), index)
  })
  const missing = [...known].flatMap(([key, { flags }]): readonly BodyError[] => {
    const isMissing = (value[key] ?? null) === null && (flags & REQUIRED) !== 0 && !isReadOnly(flags)
    return isMissing ? [{ rule: 'missing-property', path: pathOf(key), message: 'is missing' }] : []
  })
  return [...wrongs, ...missing]
}

const isReadOnly = (flags: number): boolean => (flags & READ_ONLY) !== 0

function wrongOpen(value: Open, type: AzureType, path: string, index: TypeIndex): readonly BodyError[] {
  const actual = kindOfRead(value, index)
  const wanted = { StringType: 'string', IntegerType: 'int', BooleanType: 'bool', ArrayType: 'array', ObjectType: 'object' }
  const needs = Object.hasOwn(wanted, type.$type) ? Object.entries(wanted).find(([name]) => name === type.$type)?.[1] : undefined
  if (actual === undefined || needs === undefined || actual === needs) return []
  return [{ rule: 'wrong-type', path, message: `must be ${needs}, and ${value.text} is ${actual}` }]
}

function wrongText(value: string, type: Of<'StringType'>, path: string): readonly BodyError[] {
  const wrongs = outside(value.length, type.minLength, type.maxLength, path, 'the length')
  if (type.pattern === undefined || new RegExp(type.pattern).test(value)) return wrongs
  return [...wrongs, { rule: 'bounds', path, message: `"${value}" does not match ${type.pattern}` }]
}

function outside(actual: number, least: number | undefined, most: number | undefined, path: string, what: string): readonly BodyError[] {
  if (least !== undefined && actual < least)
    return [{ rule: 'bounds', path, message: `${what} is ${actual}, and at least ${least} is needed` }]
  if (most !== undefined && actual > most)
    return [{ rule: 'bounds', path, message: `${what} is ${actual}, and at most ${most} is allowed` }]
  return []
}

function wrongLiteral(value: Value, located: Located, path: string, index: TypeIndex): readonly BodyError[] {
  const { type } = located
  const options = type.$type === 'UnionType' ? type.elements.map((element) => located.resolve(element)) : [located]
  const literals = options.flatMap((option) => (option.type.$type === 'StringLiteralType' ? [option.type.value] : []))
  if (typeof value === 'string' && literals.includes(value)) return []
  const others = options.filter((option) => option.type.$type !== 'StringLiteralType')
  const fits = others.some((option) => bodyErrors(value, option, path, index).length === 0)
  const listed = `"${typeof value === 'string' ? value : kindOf(value)}" is none of ${literals.join(', ')}`
  if (!fits) return [{ rule: typeof value === 'string' ? 'literal' : 'wrong-type', path, message: listed }]
  // An open set accepts any text, so Azure's compiler does not report a misspelt one. Here the text must be in `excuses.ts`.
  return literals.length > 0 && typeof value === 'string' ? [{ rule: 'open-literal', path, message: `${listed}; the set is open` }] : []
}

function closest(key: string, known: ReturnType<typeof propertiesOf>): string {
  const found = [...known.keys()].find((each) => each.toLowerCase() === key.toLowerCase())
  return found === undefined ? '' : `: it is written ${found}`
}
