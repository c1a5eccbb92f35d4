import type { HostPort } from '../../shared/model/pod.ts'

export function portsClash(some: readonly HostPort[], others: readonly HostPort[]): boolean {
  return some.some((one) => others.some((other) => clash(one, other)))
}

function clash(one: HostPort, other: HostPort): boolean {
  if (one.port !== other.port || one.protocol !== other.protocol) return false
  return one.ip === other.ip || isAny(one.ip) || isAny(other.ip)
}

function isAny(ip: string): boolean {
  return ip === '' || ip === '0.0.0.0' || ip === '::'
}
