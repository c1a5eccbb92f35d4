/** Marks of maps and sets that are changed on paper. Each mark is a function that takes back what came after it. */

export function markOfMap<Key>(map: Map<Key, number>): () => void {
  const before = new Map(map)
  return () => {
    map.clear()
    for (const [key, value] of before) map.set(key, value)
  }
}

export function markOfSet(names: Set<string>): () => void {
  const before = new Set(names)
  return () => {
    for (const name of names) if (!before.has(name)) names.delete(name)
  }
}
