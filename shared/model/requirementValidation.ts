import { isLabelValue, isQualifiedName, isRestricted, LABEL } from './labels.ts'
import { restrictedText } from './nearestLabel.ts'
import { type Problem, problem } from './problem.ts'
import type { Operator, RequirementSpec } from './requirement.ts'
import { normaliseKey } from './requirements.ts'

/** Returns everything that is wrong with a requirement of a pod, a pool or an overlay. Empty if it is valid. */
export function validateRequirement(spec: RequirementSpec): Problem[] {
  const key = normaliseKey(spec.key)
  const says = (rule: string, path: string): Problem =>
    problem('INPUT.INVALID', `requirement on ${JSON.stringify(spec.key)}: ${rule}`, { path })
  return [
    ...(OPERATORS.has(spec.operator)
      ? []
      : [says(`operator ${JSON.stringify(spec.operator)} is none of ${[...OPERATORS].join(', ')}`, 'operator')]),
    ...(isRestricted(key) ? [says(restrictedText(key), 'key')] : []),
    ...(isQualifiedName(key) ? [] : [says('the key is not a qualified name; write name or domain/name', 'key')]),
    ...spec.values
      .filter((value) => !isLabelValue(value))
      .map((value) => says(`value ${JSON.stringify(value)} is not a label value`, 'values')),
    ...capacityTypeRule(key, spec).map((rule) => says(rule, 'values')),
    ...countRules(spec).map((rule) => says(rule, 'values')),
  ]
}

/** The known capacity types. Unknown types are accepted next to a known one. */
const CAPACITY_TYPES: ReadonlySet<string> = new Set(['spot', 'on-demand', 'reserved'])

const OPERATORS: ReadonlySet<Operator> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'])
const COMPARISONS: ReadonlySet<Operator> = new Set(['Gt', 'Lt', 'Gte', 'Lte'])

function capacityTypeRule(key: string, { operator, values, minValues }: RequirementSpec): string[] {
  if (key !== LABEL.capacityType || operator !== 'In') return []
  const known = new Set(values.filter((value) => CAPACITY_TYPES.has(value))).size
  if (known === 0) return [`name at least one capacity type of ${[...CAPACITY_TYPES].join(', ')}`]
  return minValues !== undefined && known < minValues ? [`minValues ${minValues} needs as many capacity types that exist`] : []
}

function countRules({ operator, values, minValues }: RequirementSpec): string[] {
  if (operator === 'In' && values.length === 0) return ['operator In needs at least one value']
  if (operator === 'In' && minValues !== undefined && values.length < minValues) return [`minValues ${minValues} needs as many values`]
  if (!COMPARISONS.has(operator)) return []
  return values.length === 1 && /^\+?[0-9]+$/.test(values[0] ?? '')
    ? []
    : [`operator ${operator} needs exactly one integer that is not negative`]
}
