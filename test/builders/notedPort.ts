/** Wraps the port and adds each call to `calls`, for example `api.getClaim`. */
export function notedPort<Port extends object>(calls: string[], prefix: string, port: Port): Port {
  return new Proxy(port, {
    get: (target, name, receiver) => {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== 'function') return member
      return (...args: readonly unknown[]): unknown => {
        calls.push(`${prefix}.${String(name)}`)
        return Reflect.apply(member, target, args)
      }
    },
  })
}
