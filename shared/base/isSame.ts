/** Whether two values of plain data (what JSON can say, and undefined) are equal member by member, in whatever order members were added. */
export function isSame(first: unknown, second: unknown): boolean {
  if (first === second) return true
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
    if (!isSame(first[key], second[key]) || (first[key] === undefined && !(key in second))) return false
  }
  for (const _ in second) members--
  return members === 0
}
