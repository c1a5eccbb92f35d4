import { ownValue } from '../../../shared/base/values.ts'

/** Any JSON value. Objects are read-only: readers share everything that the server keeps, and nothing is changed in place. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

const EMPTY_OBJECT: JsonObject = Object.freeze({})
const EMPTY_LIST: readonly Json[] = Object.freeze([])

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/** Returns the value at a path of member names, or undefined if a step is missing. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let here: Json | undefined = value
  for (const key of path) {
    if (!isObject(here) || !Object.hasOwn(here, key)) return undefined
    here = ownValue(here, key)
  }
  return here
}

/** Returns the object at a path, or an empty object if there is none. */
export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path)
  return isObject(found) ? found : EMPTY_OBJECT
}

/** Returns the list at a path, or an empty list if there is none. */
export function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path)
  return isList(found) ? found : EMPTY_LIST
}

/** Returns the text at a path, or an empty text if there is none. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

/** Returns a value as text: strings as they are, everything else as JSON. */
export function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

export function numberAt(value: Json | undefined, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path)
  return typeof found === 'number' ? found : undefined
}

/** Returns a copy with the value at the path. Missing objects on the path are made. An undefined value removes the member. */
export function withAt(value: JsonObject, path: readonly string[], put: Json | undefined): JsonObject {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (rest.length > 0) return { ...value, [key]: withAt(objectAt(value, key), rest, put) }
  if (put !== undefined) return { ...value, [key]: put }
  return without(value, key)
}

/** Returns a copy without the member, or the same object if it does not have the member. */
export function without(value: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(value, key)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
}

/** Deep equality. A missing member equals an undefined member. */
export function sameJson(first: Json | undefined, second: Json | undefined): boolean {
  if (first === second) return true
  if (isList(first) && isList(second)) {
    return first.length === second.length && first.every((item, index) => sameJson(item, second[index]))
  }
  if (!isObject(first) || !isObject(second)) return false
  for (const key of Object.keys(first)) if (!sameJson(ownValue(first, key), ownValue(second, key))) return false
  for (const key of Object.keys(second)) if (ownValue(second, key) !== undefined && ownValue(first, key) === undefined) return false
  return true
}
