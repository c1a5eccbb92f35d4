import * as z from 'zod'
import { annotate, LABEL_VALUE, QUALIFIED_NAME, ruled, type ValidationRule } from './parts.ts'

const operator = z.enum(['Gte', 'Lte', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']).describe('How values and label compare.')

const values = annotate(z.array(z.string()), {
  description: 'One value or more for In and NotIn, one integer for the comparisons, none otherwise.',
  'x-kubernetes-list-type': 'atomic',
  maxLength: 63,
  pattern: LABEL_VALUE.source,
})

const minValues = z.int().min(1).max(50).describe('Least number of values that must stay open to choose from. Alpha.')

const ONE_INTEGER: ValidationRule = {
  rule: "self.all(r, !(r.operator in ['Gt', 'Lt', 'Gte', 'Lte']) || (has(r.values) && size(r.values) == 1 && int(r.values[0]) >= 0))",
  message: 'operators Gt, Lt, Gte and Lte need exactly one integer that is not negative',
}

const ENOUGH_VALUES: ValidationRule = {
  rule: "self.all(r, r.operator != 'In' || !has(r.minValues) || (has(r.values) && size(r.values) >= r.minValues))",
  message: 'operator In with minValues needs at least that many values',
}

/** Requirements of pools and claims on the labels of nodes. The rules for keys differ between pools and claims. */
export function requirements(keyRules: readonly ValidationRule[]): z.ZodType {
  const requirement = z.looseObject({ ...selection(keyRules), minValues: minValues.optional() })
  return listOf(requirement, 'What the labels of a node must be. All must hold.', [someValue('In'), ONE_INTEGER, ENOUGH_VALUES])
}

/** Requirements that select instance types and offerings. An empty NotIn is refused, since it would select all of them silently. */
export function overlayRequirements(keyRules: readonly ValidationRule[]): z.ZodType {
  const requirement = z.looseObject(selection(keyRules))
  const rules = [someValue('NotIn'), someValue('In'), ONE_INTEGER]
  return listOf(requirement, 'Which offerings the overlay is about. All must hold.', rules)
}

function selection(keyRules: readonly ValidationRule[]): z.ZodRawShape {
  return {
    key: ruled(z.string().max(316).regex(QUALIFIED_NAME), 'Label the requirement is about.', keyRules),
    operator,
    values: values.optional(),
  }
}

function listOf(requirement: z.ZodType, description: string, rules: readonly ValidationRule[]): z.ZodType {
  return annotate(z.array(requirement).max(100), {
    description,
    'x-kubernetes-list-type': 'atomic',
    'x-kubernetes-validations': rules,
  })
}

function someValue(name: 'In' | 'NotIn'): ValidationRule {
  return {
    rule: `self.all(r, r.operator != '${name}' || (has(r.values) && size(r.values) > 0))`,
    message: `operator ${name} needs at least one value`,
  }
}
