/** Values that many pods share, each kept once, under a number. A value without users is forgotten. Number 0 stands for no value. */
export interface Interned<Value> {
  take(text: string, value: () => Value): number
  release(id: number): void
  at(id: number): Value | undefined
  readonly size: number
}

export function createInterned<Value>(): Interned<Value> {
  const ids = new Map<string, number>()
  const kept: ({ readonly text: string; readonly value: Value; users: number } | undefined)[] = [undefined]
  const free: number[] = []
  return {
    get size() {
      return ids.size
    },
    take(text, value) {
      const present = ids.get(text)
      const entry = present === undefined ? undefined : kept[present]
      if (present !== undefined && entry !== undefined) {
        entry.users++
        return present
      }
      const id = free.pop() ?? kept.length
      kept[id] = { text, value: value(), users: 1 }
      ids.set(text, id)
      return id
    },
    release(id) {
      const entry = kept[id]
      if (entry === undefined || --entry.users > 0) return
      ids.delete(entry.text)
      kept[id] = undefined
      free.push(id)
    },
    at: (id) => kept[id]?.value,
  }
}
