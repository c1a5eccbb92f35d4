import { ownValue } from '../../../shared/base/values.ts'
import { at, isList, isObject, type Json, type JsonObject } from '../object/json.ts'

export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

/** A structural OpenAPI v3 schema of a CustomResourceDefinition, with the members that this server supports. */
export interface StructuralSchema extends JsonObject {
  readonly type?: string
  readonly properties?: { readonly [name: string]: StructuralSchema }
  readonly items?: StructuralSchema
  readonly additionalProperties?: boolean | StructuralSchema
  readonly required?: readonly string[]
  readonly enum?: readonly Json[]
  readonly default?: Json
  readonly nullable?: boolean
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly allOf?: readonly StructuralSchema[]
  readonly anyOf?: readonly StructuralSchema[]
  readonly oneOf?: readonly StructuralSchema[]
  readonly not?: StructuralSchema
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[] & readonly JsonObject[]
}

/** Reports whether a JSON value is a schema. The schema of a CRD is checked once, when the CRD is written. */
export function isSchema(value: Json | undefined): value is StructuralSchema {
  if (!isObject(value)) return false
  const properties = value['properties']
  if (properties !== undefined && !(isObject(properties) && Object.values(properties).every(isSchema))) return false
  if (value['items'] !== undefined && !isSchema(value['items'])) return false
  const additional = value['additionalProperties']
  if (additional !== undefined && typeof additional !== 'boolean' && !isSchema(additional)) return false
  return ['allOf', 'anyOf', 'oneOf', 'required', 'enum', 'x-kubernetes-validations'].every(
    (member) => ownValue(value, member) === undefined || isList(at(value, member)),
  )
}
