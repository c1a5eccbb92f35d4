// Loaded before a program: `node --import <this file>?door=PORT&direct=HOST:PORT`. Connections of the program that would leave this machine go to
// the loopback internet (startInternet.ts) instead. The program still uses the real addresses, and TLS still asks for the real name.
import { Socket } from 'node:net'

const given = new URL(import.meta.url).searchParams
const door = Number(given.get('door'))
const direct = new Map(
  given.getAll('direct').map((each) => [each.slice(0, each.lastIndexOf(':')), Number(each.slice(each.lastIndexOf(':') + 1))]),
)
const connect = Socket.prototype.connect

/** The method that `net`, `tls`, `http` and `undici` all call in the end. */
function rerouted(args: readonly unknown[]): readonly unknown[] {
  const [first, ...others] = args
  // Callers inside Node pass [options, callback] as one array that carries a mark. So the array stays, and its options are replaced.
  if (Array.isArray(first)) {
    first[0] = elsewhere(first[0])
    return args
  }
  return [elsewhere(first), ...others]
}

function elsewhere(options: unknown): unknown {
  if (typeof options !== 'object' || options === null || !('port' in options) || ('path' in options && options.path)) return options
  const host = 'host' in options && typeof options.host === 'string' ? options.host.toLowerCase() : 'localhost'
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return options
  return { ...options, host: '127.0.0.1', port: direct.get(host) ?? door }
}

Object.assign(Socket.prototype, {
  connect(this: Socket, ...args: unknown[]): unknown {
    return Reflect.apply(connect, this, rerouted(args))
  },
})
