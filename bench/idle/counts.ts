/** Counts events by name. */
export interface Counts {
  add(what: string): void
  /** Returns the counts since the last call. */
  take(): ReadonlyMap<string, number>
}

export function createCounts(): Counts {
  let counted = new Map<string, number>()
  return {
    add: (what) => void counted.set(what, (counted.get(what) ?? 0) + 1),
    take() {
      const taken = counted
      counted = new Map()
      return taken
    },
  }
}

export function sumOf(counted: ReadonlyMap<string, number>): number {
  return [...counted.values()].reduce((sum, count) => sum + count, 0)
}
