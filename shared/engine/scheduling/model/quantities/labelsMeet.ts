import { ownValue } from '../../../../base/ownValue.ts'
import type { Labels } from '../../../../model/meta.ts'
import { admitsAbsence, has, type Requirements } from '../../../../model/requirements.ts'

/** True when a node with these labels, and no others, meets the requirements. */
export function labelsMeet(labels: Labels, requirements: Requirements): boolean {
  for (const [key, requirement] of requirements) {
    const value = ownValue(labels, key)
    if (value === undefined ? !admitsAbsence(requirement) : !has(requirement, value)) return false
  }
  return true
}
