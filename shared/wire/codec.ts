import { err, ok, type Result } from '../base/result.ts'
import { pieceMaker } from '../base/text.ts'
import { isSame, ownValue, setOwnValue } from '../base/values.ts'
import { type Problem, type ProblemCode, problem } from '../model/problem.ts'

/**
 * Reads and writes one type of value as JSON. Written by hand instead of using the schema library, since a cold start reads a hundred thousand pods.
 * Members with their usual value are omitted from the text and shared in memory.
 */
export type Codec<Value> = {
  readonly read: Read<Value>
  readonly write: (value: Value) => unknown
  /** The usual value of a member: the member is omitted if it has this value, and missing members are read as it. */
  readonly fallback?: { readonly value: Value; readonly is: (value: Value) => boolean }
}

/** A member that may be missing. */
export type OptionalCodec<Value> = { readonly optional: Codec<Value> }

/**
 * Returns the value, or records a failure in the trail. After a failure, callers ignore the returned value. This is cheaper than a Result for each
 * member or an exception for each invalid object.
 */
export type Read<Value> = (json: unknown, trail: Trail) => Value

export type Trail = {
  failure: Finding | undefined
  /** Values of later versions, which are read as something else. */
  unknown?: Finding[]
}

export type Finding = {
  path: string
  readonly rule: string
  /** The object of the input at which `path` starts. Undefined: the whole document. */
  base?: object
}

/** Parses a whole document. */
export function decode<Value>(codec: { readonly read: Read<Value> }, json: unknown, what: DecodeSubject): Result<Value, Problem> {
  // Stryker disable next-line ObjectLiteral: a member that is undefined and one that is missing are the same to the readers of the trail
  const trail: Trail = { failure: undefined }
  const value = codec.read(json, trail)
  if (!trail.failure) return ok(value)
  const { path, rule } = trail.failure
  const where = path === '' ? '' : ` ${path}`
  return err(
    problem(what.code ?? 'INPUT.INVALID', `${what.object}:${where} ${rule}`, { object: what.object, ...(path === '' ? {} : { path }) }),
  )
}

export type DecodeSubject = { readonly object: string; readonly code?: ProblemCode }

/** Records a failure at the current place. Callers prepend the path to this place. */
export function fail<Value>(trail: Trail, rule: string): Value {
  trail.failure ??= { path: '', rule }
  // Callers ignore the value: see `Read`.
  return undefined as Value
}

/** Prepends a step to the path of a failure. */
export function locate({ failure }: Trail, step: string): void {
  if (failure) prepend(failure, step)
}

export function prepend(finding: Finding, step: string): void {
  const { path } = finding
  finding.path = path === '' ? step : path.startsWith('[') ? `${step}${path}` : `${step}.${path}`
}

const same = <Value>(value: Value): unknown => value

export const text: Codec<string> = {
  read: (json, trail) => (typeof json === 'string' ? json : fail(trail, 'must be a text')),
  write: same,
}

export const integer: Codec<number> = {
  read: (json, trail) => (Number.isSafeInteger(json) ? (json as number) : fail(trail, 'must be an integer')),
  write: same,
}

export const number: Codec<number> = {
  read: (json, trail) => (typeof json === 'number' && Number.isFinite(json) ? json : fail(trail, 'must be a number')),
  write: same,
}

export const flag: Codec<boolean> = {
  read: (json, trail) => (typeof json === 'boolean' ? json : fail(trail, 'must be true or false')),
  write: same,
}

/** Any JSON, unchanged. */
export const json: Codec<unknown> = { read: (value) => value, write: same }

/** A codec of branded values. It checks no more than the base codec, as the constructors in the model do. */
export function as<Value extends string | number>(base: Codec<string> | Codec<number>): Codec<Value> {
  return base as unknown as Codec<Value>
}

export function oneOf<const Values extends readonly string[]>(...values: Values): Codec<Values[number]> {
  const known: ReadonlySet<unknown> = new Set(values)
  return {
    read: (json, trail) => (known.has(json) ? (json as Values[number]) : fail(trail, `must be one of ${values.join(', ')}`)),
    write: same,
  }
}

/** Most lists are empty, so readers share one empty list. */
export const NO_ITEMS: readonly never[] = Object.freeze([])

export function list<Item>(item: Codec<Item>): Codec<readonly Item[]> {
  return {
    read: (json, trail) => {
      if (!Array.isArray(json)) return fail(trail, 'must be a list')
      if (json.length === 0) return NO_ITEMS
      const result: Item[] = []
      for (let index = 0; index < json.length; index++) {
        result.push(item.read(json[index], trail))
        if (!trail.failure) continue
        locate(trail, `[${index}]`)
        break
      }
      return result
    },
    write: (values) => (item.write === same ? values : values.map(item.write)),
  }
}

export function dictionary<Item>(item: Codec<Item>): Codec<{ readonly [key: string]: Item }> {
  return {
    read: (json, trail) => {
      if (!isObject(json)) return fail(trail, 'must be an object')
      for (const key in json) {
        const before = ownValue(json, key)
        const value = item.read(before, trail)
        if (trail.failure) {
          locate(trail, quoted(key))
          return {}
        }
        if (value !== before) return copied(json, item, trail)
      }
      return json as { readonly [key: string]: Item }
    },
    write: (values) =>
      item.write === same ? values : Object.fromEntries(Object.entries(values).map(([key, value]) => [key, item.write(value)])),
  }
}

export function optional<Value>(codec: Codec<Value>): OptionalCodec<Value> {
  return { optional: codec }
}

/** A member that is omitted if it has its usual value. Pass the value as one object: readers share it. */
export function orElse<Value>(codec: Codec<Value>, value: NoInfer<Value>, is?: (value: Value) => boolean): Codec<Value> {
  return { ...codec, fallback: { value, is: is ?? emptiness(value) } }
}

/**
 * A part that is often equal in consecutive objects, such as copies of one template. A part that equals the previous one is shared in memory, so that
 * comparisons of two parts rarely look inside. A JSON value that several objects share is read once.
 */
export function repeated<Value>(codec: Codec<Value>): Codec<Value> {
  let last: Value | undefined
  let lastJson: unknown
  return {
    ...codec,
    read: (json, trail) => {
      if (last !== undefined && json === lastJson) return last
      const value = codec.read(json, trail)
      if (trail.failure) return value
      if (last === undefined || !isSame(last, value)) last = value
      lastJson = json
      return last
    },
  }
}

/** A union of kinds, distinguished by a tag member. */
export function union<Value extends object, Tag extends keyof Value & string>(
  tag: Tag,
  kinds: { readonly [Kind in Value[Tag] & string]: Codec<Extract<Value, Record<Tag, Kind>>> },
): Codec<Value> {
  const codecs = new Map<unknown, Codec<Value>>(Object.entries(kinds) as [string, Codec<Value>][])
  const rule = `must be one of ${Object.keys(kinds).join(', ')}`
  return {
    read: (json, trail) => {
      if (!isObject(json)) return fail(trail, 'must be an object')
      const codec = codecs.get(json[tag])
      if (codec) return codec.read(json, trail)
      fail(trail, rule)
      locate(trail, tag)
      return undefined as never
    },
    write: (value) => codecs.get(value[tag])?.write(value),
  }
}

export type Fields<Value extends object> = {
  readonly [Key in keyof Value]-?: object extends Pick<Value, Key> ? OptionalCodec<Exclude<Value[Key], undefined>> : Codec<Value[Key]>
}

/** A codec of an object that can also read one member by itself. */
export type RecordCodec<Value> = Codec<Value> & {
  /** Returns the reader of a member. Undefined if the object has no such member. */
  readonly readMember: (name: string) => Read<unknown> | undefined
}

export function record<Value extends object>(fields: Fields<Value>): RecordCodec<Value> {
  const members = Object.entries(fields).map(([name, field]) => memberOf(name, field as Codec<unknown> | OptionalCodec<unknown>))
  // Copied for each value, so that all start with the same shape. This keeps reading fast and objects small.
  const template = pieceMaker()(Object.fromEntries(members.filter(({ isOptional }) => !isOptional).map(({ name, usual }) => [name, usual])))
  return {
    readMember: (wanted) => members.find(({ name }) => name === wanted)?.read,
    read: (json, trail) => {
      if (!isObject(json)) return fail(trail, 'must be an object')
      const result: Record<string, unknown> = { ...template }
      for (let index = 0; index < members.length; index++) {
        const { name, read, mayMiss } = members[index] as Member
        const member = ownValue(json, name)
        if (member !== undefined) setOwnValue(result, name, read(member, trail))
        else if (!mayMiss) fail(trail, 'is missing')
        if (trail.failure === undefined) continue
        locate(trail, name)
        break
      }
      return result as Value
    },
    write: (value) => {
      const result: Record<string, unknown> = {}
      for (const { name, write, isUsual } of members) {
        const member = ownValue(value as Record<string, unknown>, name)
        if (member === undefined || isUsual?.(member)) continue
        setOwnValue(result, name, write(member))
      }
      return result
    },
  }
}

/** A member with one constant value, such as the tag of a union or a version. */
export function constant<const Value extends string | number | boolean>(value: Value): Codec<Value> {
  return { read: (json, trail) => (json === value ? value : fail(trail, `must be ${JSON.stringify(value)}`)), write: same }
}

export function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

type Member = {
  readonly name: string
  readonly read: Read<unknown>
  readonly write: (value: unknown) => unknown
  readonly isOptional: boolean
  readonly mayMiss: boolean
  readonly usual: unknown
  readonly isUsual: ((value: unknown) => boolean) | undefined
}

function memberOf(name: string, field: Codec<unknown> | OptionalCodec<unknown>): Member {
  const isOptional = 'optional' in field
  const { read, write, fallback } = isOptional ? field.optional : field
  const mayMiss = isOptional || fallback !== undefined
  return { name, read, write, isOptional, mayMiss, usual: fallback?.value, isUsual: isOptional ? undefined : fallback?.is }
}

function emptiness<Value>(usual: Value): (value: Value) => boolean {
  if (Array.isArray(usual)) return (value) => Array.isArray(value) && value.length === 0
  if (isObject(usual)) return (value) => isObject(value) && Object.keys(value).length === 0
  return (value) => value === usual
}

function copied<Item>(json: Record<string, unknown>, item: Codec<Item>, trail: Trail): { readonly [key: string]: Item } {
  const result: { [key: string]: Item } = {}
  for (const key in json) {
    setOwnValue(result, key, item.read(ownValue(json, key), trail))
    if (!trail.failure) continue
    locate(trail, quoted(key))
    break
  }
  return result
}

function quoted(key: string): string {
  return `[${JSON.stringify(key)}]`
}
