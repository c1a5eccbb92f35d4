import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const FOLDER = '../shared/data/bicep-types'

type Ref = { readonly $ref: string }
type Property = { readonly type: Ref; readonly flags: number }
type TypeNode = {
  readonly $type: string
  readonly name?: string
  readonly value?: string
  readonly body?: Ref
  readonly properties?: Readonly<Record<string, Property>>
  readonly additionalProperties?: Ref
  readonly itemType?: Ref
  readonly elements?: readonly Ref[]
}

const REQUIRED = 1
const READ_ONLY = 2
/** Fields in the path of the request, not in its body. */
const IN_PATH = new Set(['id', 'name', 'type', 'apiVersion'])

export function hasTypes(file: string): boolean {
  return existsSync(`${FOLDER}/${file}`)
}

/** Every violation of the public definition of the resource type in a request body. */
export function bodyProblems(file: string, resource: string, body: unknown): string[] {
  const types = JSON.parse(gunzipSync(readFileSync(`${FOLDER}/${file}`)).toString('utf8')) as TypeNode[]
  const at = (ref: Ref): TypeNode => types[Number(ref.$ref.slice(2))] ?? { $type: 'missing' }
  const root = types.find((node) => node.$type === 'ResourceType' && node.name === resource)
  if (root?.body === undefined) return [`${resource} is not in ${file}`]
  return problemsOf(at, at(root.body), body, '')
}

/** The names of the members at a path of a resource type. The members of an array are those of its items. */
export function memberNames(file: string, resource: string, path: string): readonly string[] {
  const types = JSON.parse(gunzipSync(readFileSync(`${FOLDER}/${file}`)).toString('utf8')) as TypeNode[]
  const at = (ref: Ref | undefined): TypeNode => types[Number(ref?.$ref.slice(2))] ?? { $type: 'missing' }
  const root = types.find((node) => node.$type === 'ResourceType' && node.name === resource)
  const found = path.split('.').reduce((type, name) => {
    const member = at(type.properties?.[name]?.type)
    return member.$type === 'ArrayType' ? at(member.itemType) : member
  }, at(root?.body))
  return Object.keys(found.properties ?? {})
}

/** The members of a value of the resource type, at any depth, that the public definition does not have. Values are not compared. */
export function unknownMembers(file: string, resource: string, value: unknown): readonly string[] {
  const types = JSON.parse(gunzipSync(readFileSync(`${FOLDER}/${file}`)).toString('utf8')) as TypeNode[]
  const at = (ref: Ref | undefined): TypeNode => types[Number(ref?.$ref.slice(2))] ?? { $type: 'missing' }
  const walk = (type: TypeNode, each: unknown, path: string): readonly string[] => {
    if (Array.isArray(each)) return each.flatMap((item) => walk(at(type.itemType), item, `${path}[]`))
    if (typeof each !== 'object' || each === null || type.additionalProperties !== undefined) return []
    return Object.entries(each).flatMap(([name, member]) => {
      const property = type.properties?.[name]
      return property === undefined ? [`${path}.${name}`] : walk(at(property.type), member, `${path}.${name}`)
    })
  }
  const root = types.find((node) => node.$type === 'ResourceType' && node.name === resource)
  return root === undefined ? [`${resource} is not in ${file}`] : walk(at(root.body), value, '')
}

function problemsOf(at: (ref: Ref) => TypeNode, type: TypeNode, value: unknown, path: string): string[] {
  switch (type.$type) {
    case 'ObjectType':
      return objectProblems(at, type, value, path)
    case 'ArrayType':
      if (!Array.isArray(value)) return [`${path} must be an array`]
      return type.itemType === undefined
        ? []
        : value.flatMap((item, index) => problemsOf(at, at(type.itemType as Ref), item, `${path}[${index}]`))
    case 'UnionType': {
      const outcomes = (type.elements ?? []).map((element) => problemsOf(at, at(element), value, path))
      return outcomes.some((problems) => problems.length === 0) ? [] : [`${path} is ${JSON.stringify(value)}, none of its kinds`]
    }
    case 'StringLiteralType':
      return value === type.value ? [] : [`${path} must be ${type.value}`]
    case 'StringType':
      return typeof value === 'string' ? [] : [`${path} must be text`]
    case 'IntegerType':
      return Number.isInteger(value) ? [] : [`${path} must be an integer`]
    case 'BooleanType':
      return typeof value === 'boolean' ? [] : [`${path} must be true or false`]
    case 'AnyType':
      return []
    default:
      return [`${path}: ${type.$type} is not checked here`]
  }
}

function objectProblems(at: (ref: Ref) => TypeNode, type: TypeNode, value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} must be an object`]
  const properties = type.properties ?? {}
  const given = Object.entries(value).flatMap(([name, member]) => {
    const property = properties[name]
    const here = path === '' ? name : `${path}.${name}`
    if (property === undefined)
      return type.additionalProperties === undefined
        ? [`${here} does not exist`]
        : problemsOf(at, at(type.additionalProperties), member, here)
    return (property.flags & READ_ONLY) !== 0 ? [`${here} is read-only`] : problemsOf(at, at(property.type), member, here)
  })
  const missing = Object.entries(properties)
    .filter(([name, property]) => (property.flags & REQUIRED) !== 0 && !(name in value) && !(path === '' && IN_PATH.has(name)))
    .map(([name]) => `${path === '' ? name : `${path}.${name}`} is missing`)
  return [...given, ...missing]
}
