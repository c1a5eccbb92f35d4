/** Members from the outside in. Items of lists have no step of their own. */
export type AskedPath = readonly string[]

/** Returns the object, and the paths of the members that its reader has asked for so far, whether they are there or not. */
export function recorded(object: unknown): { readonly object: unknown; readonly asked: ReadonlySet<string> } {
  const asked = new Set<string>()
  return { object: proxyOf(object, [], asked), asked }
}

function textOf(path: AskedPath): string {
  return JSON.stringify(path)
}

export function pathOf(text: string): AskedPath {
  return JSON.parse(text) as AskedPath
}

function proxyOf(value: unknown, path: AskedPath, asked: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const isList = Array.isArray(value)
  return new Proxy(value, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name)
      if (typeof name !== 'string' || name in Object.prototype) return member
      if (isList) return typeof member === 'object' ? proxyOf(member, path, asked) : member
      asked.add(textOf([...path, name]))
      return proxyOf(member, [...path, name], asked)
    },
  })
}
