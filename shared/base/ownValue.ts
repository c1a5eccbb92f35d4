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
