import { numberAt, without } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import { type FieldError, type FieldErrorType, invalid, invalidText } from '../schema/fieldError.ts'
import type { StructuralSchema } from '../schema/structuralSchema.ts'
import { validateRules } from '../schema/validateRules.ts'
import { validateValue } from '../schema/validateValue.ts'
import type { ScalePaths, Strategy } from './resource.ts'

/** Errors that keep the rules from running, because rules are written for values that the schema allows. */
const BLOCKING: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/** The strategy of custom resources from their schema. Rules run only on values of the right shape. */
export function customStrategy(schema: StructuralSchema, scale: ScalePaths | undefined): Strategy {
  const check = (object: KubeObject, previous: KubeObject | undefined): FieldError[] => {
    const value = without(without(object, 'apiVersion'), 'kind')
    const bare = without(value, 'metadata')
    const old = previous === undefined ? undefined : without(without(without(previous, 'apiVersion'), 'kind'), 'metadata')
    const errors = validateValue(withoutObjectMembers(schema), { value: bare, old, path: '' })
    if (errors.some((error) => BLOCKING.has(error.type))) return [...errors, invalidText('', '"null"', NOT_CHECKED)]
    return [...errors, ...validateRules(schema, { value: object, old: previous, path: '' }), ...scaleErrors(object, scale)]
  }
  return {
    hasGeneration: true,
    validate: check,
    validateStatus: check,
  }
}

/** Replicas that a scale shows have 32 bits and are not negative, whatever the schema allows. */
function scaleErrors(object: KubeObject, scale: ScalePaths | undefined): FieldError[] {
  return [scale?.specReplicas, scale?.statusReplicas].flatMap((steps) => {
    const replicas = steps === undefined ? undefined : numberAt(object, ...steps)
    if (steps === undefined || replicas === undefined) return []
    const say = (words: string): FieldError[] => [invalid(`.${steps.join('.')}`, replicas, words)]
    if (replicas < 0) return say('should be a non-negative integer')
    return replicas > MOST_REPLICAS ? say(`should be less than or equal to ${MOST_REPLICAS}`) : []
  })
}

const MOST_REPLICAS = 2 ** 31 - 1

/** apiVersion, kind and metadata have been checked before. Their schemas only hold their types. */
function withoutObjectMembers(schema: StructuralSchema): StructuralSchema {
  const { properties, required, ...rest } = schema
  const members = Object.entries(properties ?? {}).filter(([name]) => !OBJECT_MEMBERS.has(name))
  return {
    ...rest,
    properties: Object.fromEntries(members),
    ...(required ? { required: required.filter((name) => !OBJECT_MEMBERS.has(name)) } : {}),
  }
}

const OBJECT_MEMBERS = new Set(['apiVersion', 'kind', 'metadata'])
