import { setOwnValue } from '../../base/values.ts'

/** A copy of plain data as a server keeps it. It shares nothing with the value of the caller, and has no undefined members. */
export function storedCopy<Value>(value: Value): Value
export function storedCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((member: unknown) => storedCopy(member))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value)
  const copy: { [member: string]: unknown } = {}
  for (const [name, member] of Object.entries(value)) if (member !== undefined) setOwnValue(copy, name, storedCopy(member))
  return copy
}
