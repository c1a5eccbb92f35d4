/** Returns a function that calls `make` when it is first asked, and keeps the value. */
export function once<Value>(make: () => Value): () => Value {
  const ask = remembered<undefined, Value>(make)
  return () => ask(undefined)
}

/** Returns a function that calls `make` once for each key, and keeps the values. */
export function remembered<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, { readonly value: Value }>()
  return (key) => {
    const same = known.get(key) ?? { value: make(key) }
    known.set(key, same)
    return same.value
  }
}
