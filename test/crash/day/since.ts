/** For how long each of the names is given, without a pause, in milliseconds. */
export function createSince(now: () => number): (names: readonly string[]) => ReadonlyMap<string, number> {
  let since = new Map<string, number>()
  return (names) => {
    since = new Map(names.map((name) => [name, since.get(name) ?? now()]))
    return new Map([...since].map(([name, at]) => [name, now() - at]))
  }
}
