// Checks whether the value of a parameter fits the type that the template declares, and its bounds.
import { type Decorator, plainText, type TypeSyntax } from '../parse/syntax.ts'
import { isEqual } from './operators.ts'
import { isList, isObject, kindOf, Open, toJson, type Value } from './value.ts'

/** A type that the file declares or imports. `find` resolves the names inside it. */
export type NamedType = { readonly type: TypeSyntax; readonly decorators: readonly Decorator[]; readonly find: FindType }
export type FindType = (name: string) => NamedType | undefined

const PLAIN: Readonly<Record<string, (value: Value) => boolean>> = {
  string: (value) => typeof value === 'string',
  int: (value) => typeof value === 'number' && Number.isInteger(value),
  bool: (value) => typeof value === 'boolean',
  array: isList,
  object: isObject,
  any: () => true,
}

export const PLAIN_TYPES: readonly string[] = Object.keys(PLAIN)

/** Returns what is wrong, one sentence each. Empty if the value fits. An open value is taken to fit. */
export function typeErrors(value: Value, type: TypeSyntax, find: FindType, path: string): readonly string[] {
  if (value instanceof Open) return []
  switch (type.kind) {
    case 'nullable':
      return value === null ? [] : typeErrors(value, type.of, find, path)
    case 'literal':
      return value === type.value ? [] : [`${path} must be ${JSON.stringify(type.value)}, not ${JSON.stringify(toJson(value))}`]
    case 'union': {
      if (type.options.some((option) => typeErrors(value, option, find, path).length === 0)) return []
      const names = type.options.map((option) => (option.kind === 'literal' ? JSON.stringify(option.value) : option.kind))
      return [`${path} must be one of ${names.join(', ')}, not ${JSON.stringify(toJson(value))}`]
    }
    case 'array':
      if (!isList(value)) return [`${path} must be an array, not ${kindOf(value)}`]
      return value.flatMap((item, at) => typeErrors(item, type.of, find, `${path}[${at}]`))
    case 'object':
      return typeErrorsOfObject(value, type, find, path)
    case 'named': {
      const plain = Object.hasOwn(PLAIN, type.name) ? PLAIN[type.name] : undefined
      if (plain !== undefined) return plain(value) ? [] : [`${path} must be ${type.name}, not ${kindOf(value)}`]
      const named = find(type.name)
      if (named === undefined) return [`${path} has the type ${type.name}, which is not declared`]
      const wrong = typeErrors(value, named.type, named.find, path)
      return wrong.length > 0 ? wrong : outOfBounds(value, named.decorators, path)
    }
  }
}

function typeErrorsOfObject(value: Value, type: Extract<TypeSyntax, { kind: 'object' }>, find: FindType, path: string): readonly string[] {
  if (!isObject(value)) return [`${path} must be an object, not ${kindOf(value)}`]
  const wrong: string[] = []
  for (const property of type.properties) {
    const given = value[property.name] ?? null
    const at = `${path}.${property.name}`
    if (given === null && property.type.kind !== 'nullable') wrong.push(`${at} is missing`)
    if (given === null) continue
    const inside = typeErrors(given, property.type, find, at)
    wrong.push(...(inside.length > 0 ? inside : outOfBounds(given, property.decorators, at)))
  }
  for (const [key, item] of Object.entries(value)) {
    if (type.properties.some((property) => property.name === key)) continue
    if (type.others === undefined) wrong.push(`${path} has no property "${key}"`)
    else wrong.push(...typeErrors(item, type.others, find, `${path}.${key}`))
  }
  return wrong
}

const literal = (decorator: Decorator): Value => {
  const [given] = decorator.given
  if (given?.kind === 'literal') return given.value
  if (given?.kind === 'unary' && given.of.kind === 'literal' && typeof given.of.value === 'number') return -given.of.value
  return null
}

/** Returns the violations of `@allowed`, `@minLength`, `@maxLength`, `@minValue` and `@maxValue`, one sentence each. */
export function outOfBounds(value: Value, decorators: readonly Decorator[], path: string): readonly string[] {
  if (value === null || value instanceof Open) return []
  return decorators.flatMap((decorator) =>
    decorator.name === 'allowed' ? outOfList(value, decorator, path) : outOfBound(value, decorator, path),
  )
}

function outOfList(value: Value, decorator: Decorator, path: string): readonly string[] {
  const list = decorator.given[0]?.kind === 'array' ? decorator.given[0].items : []
  const options = list.map((item) => plainText(item) ?? (item.kind === 'literal' ? item.value : null))
  if (options.some((option) => isEqual(option, value))) return []
  return [`${path} must be one of ${options.join(', ')}, not ${JSON.stringify(toJson(value))}`]
}

function outOfBound(value: Value, decorator: Decorator, path: string): readonly string[] {
  const bound = literal(decorator)
  if (typeof bound !== 'number') return []
  const size = sizeOf(value)
  const number = typeof value === 'number' ? value : 0
  if (decorator.name === 'minLength' && size < bound) return [`${path} has a length of ${size}, and at least ${bound} is needed`]
  if (decorator.name === 'maxLength' && size > bound) return [`${path} has a length of ${size}, and at most ${bound} is allowed`]
  if (decorator.name === 'minValue' && number < bound) return [`${path} is ${number}, and at least ${bound} is needed`]
  return decorator.name === 'maxValue' && number > bound ? [`${path} is ${number}, and at most ${bound} is allowed`] : []
}

function sizeOf(value: Value): number {
  if (typeof value === 'string' || isList(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 0
}
