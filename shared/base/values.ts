/** `Source`, in which members that may be undefined are optional members instead. */
export type Defined<Source> = { [Key in keyof Source as undefined extends Source[Key] ? never : Key]: Source[Key] } & {
  [Key in keyof Source as undefined extends Source[Key] ? Key : never]?: Exclude<Source[Key], undefined>
}

/** Copies an object without its undefined members. Builds a record with optional members from values that may be undefined. */
export function defined<Source extends object>(source: Source): Defined<Source> {
  const copy: { [key: string]: unknown } = {}
  for (const [key, value] of Object.entries(source)) if (value !== undefined) setOwnValue(copy, key, value)
  return copy as Defined<Source>
}

/**
 * Returns the record's own value of a key. Use it for every key that comes from outside the program, such as the key of a label: a plain object also
 * answers to `constructor` or `toString`, which it inherits.
 */
export function ownValue<Value>(members: { readonly [key: string]: Value } | undefined, key: string): Value | undefined {
  const value = members?.[key]
  // All that a plain object inherits is functions and its prototype, so data needs no second look.
  const mayBeInherited = typeof value === 'function' || value === Object.prototype
  return mayBeInherited && !Object.hasOwn(members ?? {}, key) ? undefined : value
}

/** Sets the record's own value of a key. An assignment to `__proto__` would change what the record inherits. */
export function setOwnValue<Value>(members: { [key: string]: Value }, key: string, value: Value): void {
  if (key === '__proto__') Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true })
  else members[key] = value
}

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

declare const brand: unique symbol

/** A nominal type: a `Base` that only its own constructor can make. Two meanings of one base type cannot be swapped. */
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name }

/**
 * Gives a value its nominal type. This is the only place that casts a brand. Constructors in `shared/model` validate the value first and then call
 * this function.
 */
export function branded<Type extends Branded<string | number, string>>(value: Type extends string ? string : number): Type {
  return value as unknown as Type
}
