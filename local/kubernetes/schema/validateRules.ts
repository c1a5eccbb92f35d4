import { ownValue } from '../../../shared/base/values.ts'
import { isList, isObject, type Json, sameJson } from '../object/json.ts'
import { celProblem, compileRule } from './celEnvironment.ts'
import { toCel } from './celValue.ts'
import { duplicate, type FieldError, forbiddenField, invalidText, required } from './fieldError.ts'
import type { StructuralSchema, ValidationRule } from './structuralSchema.ts'
import { type Checked, childPath, correlate, itemPath, memberSchema } from './validateValue.ts'

/** Runs the CEL rules of a schema on a value. Parts that have not changed since the old version are not checked again. */
export function validateRules(schema: StructuralSchema, checked: Checked): FieldError[] {
  const { value, old } = checked
  if (value === null || (old !== undefined && sameJson(value, old))) return []
  const rules: readonly ValidationRule[] = schema['x-kubernetes-validations'] ?? []
  return [...rules.flatMap((rule) => runRule(schema, rule, checked)), ...insideErrors(schema, checked)]
}

function insideErrors(schema: StructuralSchema, { value, old, path }: Checked): FieldError[] {
  if (isList(value)) {
    const { items } = schema
    const oldOf = correlate(schema, old)
    return items ? value.flatMap((item, index) => validateRules(items, { value: item, old: oldOf(item), path: itemPath(path, index) })) : []
  }
  if (!isObject(value)) return []
  const before = isObject(old) ? old : undefined
  return Object.entries(value).flatMap(([key, member]) => {
    const known = memberSchema(schema, key)
    return known && member !== undefined
      ? validateRules(known, { value: member, old: ownValue(before, key), path: childPath(path, key) })
      : []
  })
}

function runRule(schema: StructuralSchema, rule: ValidationRule, { value, old, path }: Checked): FieldError[] {
  const isTransition = /\boldSelf\b/.test(rule.rule)
  if (isTransition && old === undefined) return []
  const at = rule.fieldPath === undefined ? path : `${path}${rule.fieldPath}`
  const context = { self: toCel(schema, value), ...(old === undefined ? {} : { oldSelf: toCel(schema, old) }) }
  try {
    if (compileRule(rule.rule)(context) === true) return []
  } catch (error) {
    return [invalidText(at, shownType(schema, value), `rule evaluation error: ${celProblem(error)} evaluating rule: ${messageOf(rule)}`)]
  }
  return [ruleError(rule, at, shownType(schema, value), expressionMessage(rule, context) ?? messageOf(rule))]
}

/** Errors of rules show the type of the value, not the value. */
function shownType(schema: StructuralSchema, value: Json): string {
  if (schema.type !== undefined) return JSON.stringify(schema.type)
  return JSON.stringify(isList(value) ? 'array' : typeof value)
}

function messageOf(rule: ValidationRule): string {
  return rule.message ?? `failed rule: ${rule.rule}`
}

function expressionMessage(rule: ValidationRule, context: { self: unknown; oldSelf?: unknown }): string | undefined {
  if (rule.messageExpression === undefined) return undefined
  try {
    const made = compileRule(rule.messageExpression)(context)
    return typeof made === 'string' && made.trim() !== '' ? made : undefined
  } catch {
    // If the message expression fails, the fixed message is used, as on the real server.
    return undefined
  }
}

function ruleError(rule: ValidationRule, path: string, shown: string, message: string): FieldError {
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(path, message)
    case 'FieldValueRequired':
      return required(path, message)
    case 'FieldValueDuplicate':
      return { ...duplicate(path, null), body: `Duplicate value: ${shown}: ${message}` }
    case undefined:
    default:
      return invalidText(path, shown, message)
  }
}
