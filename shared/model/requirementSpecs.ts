import { byKey } from '../base/order.ts'
import type { Operator, RequirementSpec } from './requirement.ts'
import type { Requirement, Requirements } from './requirements.ts'

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
