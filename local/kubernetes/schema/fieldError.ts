import { type StatusCause, StatusError } from '../http/statusError.ts'
import type { Json } from '../object/json.ts'

export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueNotFound'
  | 'FieldValueTypeInvalid'

/** One broken rule of one field, in the words of the API server. */
export interface FieldError {
  readonly type: FieldErrorType
  readonly path: string
  readonly body: string
}

export function required(path: string, detail = ''): FieldError {
  return { type: 'FieldValueRequired', path, body: withDetail('Required value', detail) }
}

export function invalid(path: string, value: Json | undefined, detail: string): FieldError {
  return { type: 'FieldValueInvalid', path, body: withDetail(`Invalid value: ${printed(value)}`, detail) }
}

export function typeInvalid(path: string, value: Json | undefined, detail: string): FieldError {
  return { type: 'FieldValueTypeInvalid', path, body: withDetail(`Invalid value: ${printed(value)}`, detail) }
}

/** For objects and lists, errors of structural schemas show the type and not the value: `Invalid value: "object": ...`. */
export function invalidText(path: string, shown: string, detail: string): FieldError {
  return { type: 'FieldValueInvalid', path, body: withDetail(`Invalid value: ${shown}`, detail) }
}

export function notSupported(path: string, value: Json | undefined, supported: readonly string[]): FieldError {
  const list = supported.map((item) => JSON.stringify(item)).join(', ')
  return {
    type: 'FieldValueNotSupported',
    path,
    body: `Unsupported value: ${printed(value)}${list === '' ? '' : `: supported values: ${list}`}`,
  }
}

export function duplicate(path: string, value: Json | undefined): FieldError {
  return { type: 'FieldValueDuplicate', path, body: `Duplicate value: ${printed(value)}` }
}

export function forbiddenField(path: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', path, body: withDetail('Forbidden', detail) }
}

export function tooLong(path: string, detail: string): FieldError {
  return { type: 'FieldValueTooLong', path, body: `Too long: ${detail}` }
}

export function tooMany(path: string, count: number, most: number): FieldError {
  return { type: 'FieldValueTooMany', path, body: `Too many: ${count}: must have at most ${most} items` }
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${detail}`
}

/** Returns a value as Go prints it in field errors: strings quoted, objects as JSON. */
export function printed(value: Json | undefined): string {
  return value === undefined || value === null ? '"null"' : JSON.stringify(value)
}

/** Returns the 422 answer for an object with broken rules, in the words of the API server. */
export function invalidObject(group: string, kind: string, name: string, errors: readonly FieldError[]): StatusError {
  const causes: readonly StatusCause[] = errors.map((error) => ({
    reason: error.type,
    message: error.body,
    field: error.path === '' ? '<nil>' : error.path,
  }))
  const lines = [...new Set(errors.map((error) => `${error.path === '' ? '<nil>' : error.path}: ${error.body}`))]
  const list = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`
  const qualified = group === '' ? kind : `${kind}.${group}`
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `${qualified} "${name}" is invalid: ${list}`,
    details: { name, ...(group === '' ? {} : { group }), kind, causes },
  })
}
