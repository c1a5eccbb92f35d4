import type { HostPort } from '../../../../model/pod.ts'

const ANY_ADDRESS: ReadonlySet<string> = new Set(['', '0.0.0.0', '::'])

/** Reports whether a port of one clashes with a port of the other on one machine. */
export function portsClash(first: readonly HostPort[], second: readonly HostPort[]): boolean {
  return first.some((one) => second.some((other) => portClashes(one, other)))
}

/** An unspecified address takes the port on every address. */
function portClashes(one: HostPort, other: HostPort): boolean {
  if (one.port !== other.port || one.protocol !== other.protocol) return false
  return one.ip === other.ip || ANY_ADDRESS.has(one.ip) || ANY_ADDRESS.has(other.ip)
}
