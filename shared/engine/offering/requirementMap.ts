import type { Requirement, Requirements } from '../../model/requirements.ts'

const known = new WeakMap<readonly Requirement[], Requirements>()

/** The requirements by key. A list of the catalog stays the same between decisions, and is made into a map once. It must not change after it. */
export function requirementMap(requirements: readonly Requirement[]): Requirements {
  const map = known.get(requirements) ?? new Map(requirements.map((each) => [each.key, each]))
  known.set(requirements, map)
  return map
}
