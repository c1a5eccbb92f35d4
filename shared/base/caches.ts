/** A map with a bounded number of entries. When it is full, the entry that was set longest ago is removed. */
export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
}

export function createBoundedMap<Key, Value>(most: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, Value>()
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      const [oldest] = entries.keys()
      if (entries.size > most && oldest !== undefined) entries.delete(oldest)
    },
    delete: (key) => void entries.delete(key),
  }
}

/** Returns a function that calls `make` when it is first asked, and keeps the value. */
export function once<Value>(make: () => Value): () => Value {
  const ask = remembered<undefined, Value>(make)
  return () => ask(undefined)
}

/** Returns a function that calls `make` once for each key, and keeps the values. */
export function remembered<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, { readonly value: Value }>()
  return (key) => {
    const same = known.get(key)
    if (same !== undefined) return same.value
    const value = make(key)
    known.set(key, { value })
    return value
  }
}

/**
 * Returns a function that calls `make` once and keeps the value. Callers that arrive meanwhile wait for the same call. A failure is not kept: the
 * next call tries again.
 */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
