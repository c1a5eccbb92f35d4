import type { RequirementSpec } from '../../../model/requirements.ts'

/** The label that a requirement fixes, if the requirement admits only one value. */
export function oneValue(requirement: RequirementSpec): readonly (readonly [key: string, value: string])[] {
  const [value, ...others] = requirement.values
  return requirement.operator === 'In' && value !== undefined && others.length === 0 ? [[requirement.key, value]] : []
}
