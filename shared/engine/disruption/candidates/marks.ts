/** Marks of maps and sets that are changed on paper. Each mark is a function that takes back what came after it. */

export function markOfMap<Key>(map: Map<Key, number>): () => void {
  const before = new Map(map)
  return () => {
    map.clear()
    for (const [key, value] of before) map.set(key, value)
  }
}

export function markOfSet<Member>(members: Set<Member>): () => void {
  const before = new Set(members)
  return () => {
    for (const member of members) if (!before.has(member)) members.delete(member)
  }
}
