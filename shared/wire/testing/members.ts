/** Helpers that remove or replace single members of JSON, for tests that check every member. */

export type Path = readonly string[]

/** Returns the paths of all members and list items at any depth, those of objects and lists included. */
export function pathsOf(json: unknown): readonly Path[] {
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([step, member]) =>
    member === undefined ? [] : [[step], ...pathsOf(member).map((path) => [step, ...path])],
  )
}

export function at(json: unknown, path: Path): unknown {
  return path.reduce<unknown>((held, step) => (held as { readonly [step: string]: unknown })[step], json)
}

/** Returns the object with another member at the path, or without the member if it is undefined. */
export function withMember(json: unknown, [step = '', ...rest]: Path, member: unknown): unknown {
  if (Array.isArray(json)) {
    const items: readonly unknown[] = json
    const index = Number(step)
    if (rest.length > 0) return items.with(index, withMember(items[index], rest, member))
    return member === undefined ? items.toSpliced(index, 1) : items.with(index, member)
  }
  const { [step]: held, ...others } = json as { readonly [step: string]: unknown }
  if (rest.length > 0) return { ...others, [step]: withMember(held, rest, member) }
  return member === undefined ? others : { ...others, [step]: member }
}

/** Converts a path such as `spec.taints[0].labels["a"]` to a path with dots only. */
export const plain = (path: string | undefined): string | undefined => path?.replace(/\["([^"]*)"\]/g, '.$1').replace(/\[(\d+)\]/g, '.$1')
