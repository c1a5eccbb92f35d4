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

/** Values that are kept for objects, each as long as its object. */
export interface Kept<Key extends object, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

/**
 * Keeps each value on its object, in a field that nothing else sees: a copy of the object is without a value. For objects of which a cluster has very
 * many. With a WeakMap of so many entries, each full garbage collection blocks several times as long: V8 follows the entries once all else is marked,
 * and on the thread that works (`mark.ephemeron` of `--trace-gc-nvp`, Node 24, 2026-11-30).
 */
export function keptOnObjects<Key extends object, Value>(): Kept<Key, Value> {
  class Holder extends Itself {
    #value: Value | undefined
    static get(key: object): Value | undefined {
      return #value in key ? key.#value : undefined
    }
    static set(key: object, value: Value): void {
      const holder = #value in key ? key : new Holder(key)
      holder.#value = value
    }
  }
  return Holder
}

/** Its constructor returns the given object, so that a class that extends it adds its private fields to this object. */
class Itself {
  constructor(given: object) {
    // The only way to add a private field to an object of another class.
    return given
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
