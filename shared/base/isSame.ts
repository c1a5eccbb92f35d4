import { ownValue } from './ownValue.ts'

/** Reports whether two values of plain data (JSON values and undefined) are equal member by member. The order of members does not matter. */
export function isSame(first: unknown, second: unknown): boolean {
  // Kept small so that the compiler inlines it: most comparisons are of an object with itself.
  return first === second || isSameInDepth(first, second)
}

/** Like `isSame`, for objects whose members are strings and numbers. */
export function isSameFlat(first: FlatMembers, second: FlatMembers): boolean {
  return first === second || haveSameMembers(first, second)
}

function isSameInDepth(first: unknown, second: unknown): boolean {
  if (typeof first !== 'object' || typeof second !== 'object' || first === null || second === null) return false
  if (Array.isArray(first) || Array.isArray(second)) {
    return Array.isArray(first) && Array.isArray(second) && isSameList(first, second)
  }
  return isSameObject(first as Members, second as Members)
}

function isSameList(first: readonly unknown[], second: readonly unknown[]): boolean {
  if (first.length !== second.length) return false
  for (let at = 0; at < first.length; at++) if (!isSame(first[at], second[at])) return false
  return true
}

type Members = { readonly [key: string]: unknown }

function isSameObject(first: Members, second: Members): boolean {
  let members = 0
  for (const key in first) {
    members++
    const value = ownValue(first, key)
    if (!isSame(value, ownValue(second, key)) || (value === undefined && !Object.hasOwn(second, key))) return false
  }
  for (const _ in second) members--
  return members === 0
}

type FlatMembers = { readonly [key: string]: string | number }

function haveSameMembers(first: FlatMembers, second: FlatMembers): boolean {
  let members = 0
  for (const key in first) {
    if (ownValue(first, key) !== ownValue(second, key)) return false
    members++
  }
  for (const _ in second) members--
  return members === 0
}
