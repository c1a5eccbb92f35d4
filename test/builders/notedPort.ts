/** Wraps the port and adds each member that is read to `calls`, for example `api.getClaim`. */
export function notedPort<Port extends object>(calls: string[], prefix: string, port: Port): Port {
  return new Proxy(port, {
    get: (target, name, receiver) => {
      calls.push(`${prefix}.${String(name)}`)
      return Reflect.get(target, name, receiver)
    },
  })
}
