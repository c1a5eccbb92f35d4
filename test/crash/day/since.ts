/** Returns a function that returns how long each name has been given in every call, in milliseconds. */
export function createSince(now: () => number): (names: readonly string[]) => ReadonlyMap<string, number> {
  let since = new Map<string, number>()
  return (names) => {
    since = new Map(names.map((name) => [name, since.get(name) ?? now()]))
    return new Map([...since].map(([name, at]) => [name, now() - at]))
  }
}
