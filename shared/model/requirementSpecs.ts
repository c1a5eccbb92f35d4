import { byKey } from '../base/lists.ts'
import { isLabelValue, isQualifiedName, isRestricted, LABEL } from './labels.ts'
import { type Problem, problem } from './problem.ts'
import { restrictedText } from './requirementConflict.ts'
import { normaliseKey, type Operator, type Requirement, type RequirementSpec, type Requirements } from './requirements.ts'

/**
 * Returns requirements as a NodeClaim lists them, sorted by key. A key with bounds gets one entry for each bound and one for its exclusions, so that
 * parsing the list returns the same requirements.
 */
export function toSpecs(requirements: Requirements): RequirementSpec[] {
  return [...requirements.values()].sort(byKey(({ key }) => key)).flatMap(specsOf)
}

function specsOf(requirement: Requirement): RequirementSpec[] {
  const { key, complement, values, gte, lte, mustExist, minValues } = requirement
  const entry = (operator: Operator, list: readonly string[]): RequirementSpec =>
    minValues === undefined ? { key, operator, values: list } : { key, operator, values: list, minValues }
  const specs: RequirementSpec[] = []
  if (gte !== undefined) specs.push(entry('Gte', [String(gte)]))
  if (lte !== undefined) specs.push(upperBound(lte, entry))
  if (values.length > 0) specs.push(entry(complement ? 'NotIn' : 'In', values))
  if (!complement && values.length === 0) specs.push(entry('DoesNotExist', []))
  if (mustExist || specs.length === 0) specs.push(entry('Exists', []))
  return specs
}

/** The API accepts no negative bound, so "at most -1" is written as "less than 0". */
function upperBound(lte: number, entry: (operator: Operator, values: readonly string[]) => RequirementSpec): RequirementSpec {
  return lte === -1 ? entry('Lt', ['0']) : entry('Lte', [String(lte)])
}

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

/**
 * Returns everything for which the API server would refuse a NodeClaim with these requirements. Everything else in its spec comes from its NodePool,
 * which keeps the same rules.
 */
export function validateClaimRequirements(specs: readonly RequirementSpec[]): Problem[] {
  const many = specs.length > MOST_REQUIREMENTS ? [tooMany(specs.length)] : []
  return [...many, ...specs.flatMap(validateRequirement), ...specs.flatMap((spec) => minValuesRule(spec))]
}

/** The most requirements of a NodeClaim. */
export const MOST_REQUIREMENTS = 100
const MOST_MIN_VALUES = 50

function tooMany(count: number): Problem {
  return problem('INPUT.INVALID', `spec.requirements: ${count} requirements, at most ${MOST_REQUIREMENTS} are allowed`, {
    path: 'requirements',
  })
}

function minValuesRule({ key, minValues }: RequirementSpec): Problem[] {
  if (minValues === undefined || (Number.isInteger(minValues) && minValues >= 1 && minValues <= MOST_MIN_VALUES)) return []
  return [
    problem('INPUT.INVALID', `requirement on ${JSON.stringify(key)}: minValues ${minValues} is not from 1 to ${MOST_MIN_VALUES}`, {
      path: 'minValues',
    }),
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
