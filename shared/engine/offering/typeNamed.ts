import type { InstanceType } from '../../model/instanceType.ts'

const known = new WeakMap<readonly InstanceType[], ReadonlyMap<string, InstanceType>>()

/** The instance type with the name. The list is indexed at the first question, and must not change after it. */
export function typeNamed(types: readonly InstanceType[] | undefined, name: string | undefined): InstanceType | undefined {
  if (types === undefined || name === undefined) return undefined
  const named = known.get(types) ?? new Map(types.map((type) => [type.name, type]))
  known.set(types, named)
  return named.get(name)
}
