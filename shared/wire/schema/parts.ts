import * as z from 'zod'
import { atMostMembers, noneTwice } from './listChecks.ts'

/**
 * Parts of the custom resources' schemas. Objects are loose: the API server prunes unknown members, and members of a newer version of a resource pass
 * through.
 */

/** A rule in the Common Expression Language, which the API server evaluates in addition to the schema. */
export type ValidationRule = { readonly rule: string; readonly message: string }

/** The metadata of a schema that goes into the generated definition. */
export type SchemaMeta = {
  readonly description?: string
  readonly format?: 'int32' | 'int64'
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular'
  readonly 'x-kubernetes-int-or-string'?: true
  /** Bounds the cost of the rules of a dictionary. No real object reaches it. */
  readonly maxProperties?: number
  /** Constraints on items that are published on the list itself, where the API server ignores them. */
  readonly maxLength?: number
  readonly pattern?: string
  /** Members that are required although they have a default. */
  readonly requiredDespiteDefault?: readonly string[]
}

/** Like `meta`, with checked members: a misspelt extension would be ignored silently. Limits in the metadata are checked by the schema too. */
export function annotate<Schema extends z.ZodType>(schema: Schema, meta: SchemaMeta): Schema {
  const { maxProperties, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys } = meta
  const checks = [
    ...(maxProperties === undefined ? [] : [atMostMembers(maxProperties)]),
    ...(listType === 'set' || keys ? [noneTwice(keys)] : []),
  ]
  return (checks.length > 0 ? schema.check(...checks) : schema).meta({ ...meta })
}

export function ruled<Schema extends z.ZodType>(schema: Schema, description: string, rules: readonly ValidationRule[]): Schema {
  return annotate(schema, { description, 'x-kubernetes-validations': rules })
}

export function int32(description: string, bounds: { readonly min?: number; readonly max?: number } = {}): z.ZodNumber {
  return annotate(bounded(z.int32(), bounds), { description, format: 'int32' })
}

export function int64(description: string, bounds: { readonly min?: number; readonly max?: number } = {}): z.ZodNumber {
  return annotate(bounded(z.int(), bounds), { description, format: 'int64' })
}

export const QUANTITY_PATTERN =
  /^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$/
export const QUALIFIED_NAME =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const CONDITION_TYPE = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/
export const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/
const DURATION = /^([0-9]+(s|m|h))+$/
const DURATION_OR_NEVER = /^(([0-9]+(s|m|h))+|Never)$/

export const quantity = annotate(z.union([z.int(), z.string().regex(QUANTITY_PATTERN)]), { 'x-kubernetes-int-or-string': true })

export function quantities(description: string): z.ZodRecord<z.ZodString, typeof quantity> {
  return z.record(z.string(), quantity).describe(description)
}

/**
 * The rule that no amount of a member is negative. The published definitions do not have it. An amount is not converted to a text first: the API server
 * would estimate the cost of that by the longest text, and refuse the rule.
 */
export function noNegative(member: string): ValidationRule {
  const amounts = `self.${member}`
  const isGiven = member.split('.').map((_, index, steps) => `has(self.${steps.slice(0, index + 1).join('.')})`)
  const isNegative = `type(${amounts}[name]) == int ? ${amounts}[name] < 0 : ${amounts}[name].startsWith('-')`
  return { rule: `!(${isGiven.join(' && ')}) || !${amounts}.exists(name, ${isNegative})`, message: `${member} cannot be negative` }
}

export function durationText(description: string): z.ZodString {
  return z.string().regex(DURATION).describe(description)
}

export function durationOrNeverText(description: string): z.ZodString {
  return z.string().regex(DURATION_OR_NEVER).describe(description)
}

export const instantText = z.iso.datetime({ offset: true })

const taint = z.looseObject({
  key: z.string().min(1).regex(QUALIFIED_NAME).describe('Key of the taint.'),
  value: z.string().regex(QUALIFIED_NAME).describe('Value of the taint.').optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).describe('What happens to pods that do not tolerate the taint.'),
  timeAdded: instantText.describe('When the taint was added.').optional(),
})

export function taints(description: string): z.ZodArray<typeof taint> {
  return annotate(z.array(taint), { description, 'x-kubernetes-list-type': 'atomic' })
}

/** `reason` is the schema of the reason. Kubernetes requires a reason, but NodeClaims may have an empty one or none. */
function conditionOf(reason: z.ZodType): z.ZodType {
  return z.looseObject({
    type: z.string().max(316).regex(CONDITION_TYPE).describe('What the condition is about.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
    reason,
    message: z.string().max(32_768).describe('The same for people.'),
    lastTransitionTime: instantText.describe('When the status last changed.'),
    observedGeneration: int64('Generation of the object the condition was worked out for.', { min: 0 }).optional(),
  })
}

const REASON = 'Why the status is what it is, as one word.'

const strictCondition = conditionOf(
  z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    .describe(REASON),
)

const looseCondition = z.looseObject({
  ...shapeOf(
    conditionOf(
      z
        .string()
        .max(1024)
        .regex(/^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$/)
        .describe(REASON)
        .optional(),
    ),
  ),
  message: z.string().max(32_768).describe('The same for people.').optional(),
})

const CONDITIONS = 'What is known about the object.'

export const conditionsByType = annotate(z.array(strictCondition), {
  description: CONDITIONS,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
})

export const claimConditions = annotate(z.array(looseCondition), {
  description: CONDITIONS,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
})

export const plainConditions = z.array(strictCondition).describe(CONDITIONS)

export const nodeClassRef = z.looseObject({
  group: ruled(z.string().regex(/^[^/]*$/), 'API group of the class.', [notEmpty('group')]),
  kind: ruled(z.string(), 'Kind of the class.', [notEmpty('kind')]),
  name: ruled(z.string(), 'Name of the class.', [notEmpty('name')]),
})

function bounded(integer: z.ZodNumber, { min, max }: { readonly min?: number; readonly max?: number }): z.ZodNumber {
  let schema = integer
  if (min !== undefined) schema = schema.min(min)
  if (max !== undefined) schema = schema.max(max)
  return schema
}

function notEmpty(field: string): ValidationRule {
  return { rule: 'size(self) > 0', message: `${field} must not be empty` }
}

function shapeOf(schema: z.ZodType): z.ZodRawShape {
  return (schema as z.ZodObject).shape
}
