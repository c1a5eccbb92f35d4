/** JSON without one of its members, or with another in its place: for tests that ask the same of each. */

export type Path = readonly string[]

/** All members and list items at any depth. An object or list within another is one of them, and so is what it holds. */
export function pathsOf(json: unknown): readonly Path[] {
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([step, member]) =>
    member === undefined ? [] : [[step], ...pathsOf(member).map((path) => [step, ...path])],
  )
}

export function at(json: unknown, path: Path): unknown {
  return path.reduce<unknown>((held, step) => (held as { readonly [step: string]: unknown })[step], json)
}

/** The object with another member there; without it for undefined. */
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

/** `spec.taints[0].labels["a"]` with dots alone. */
export const plain = (path: string | undefined): string | undefined => path?.replace(/\["([^"]*)"\]/g, '.$1').replace(/\[(\d+)\]/g, '.$1')
