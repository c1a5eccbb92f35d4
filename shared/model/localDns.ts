import type { NodeClass } from './nodeClass.ts'

/**
 * Whether nodes of the class run a DNS server of their own. `Preferred` keeps the state of the status, and is otherwise Disabled: no version that Joiner
 * knows turns it on (docs/adr/0032). An unknown mode is Disabled.
 */
export function localDnsState({ spec, status }: Pick<NodeClass, 'spec' | 'status'>): NonNullable<NodeClass['status']['localDnsState']> {
  const mode = localDnsMode(spec.localDns)
  if (mode === 'Required') return 'Enabled'
  return mode === 'Preferred' ? (status.localDnsState ?? 'Disabled') : 'Disabled'
}

/** Reports whether the class only prefers local DNS, and so has none. */
export function isLocalDnsLeftOff(nodeClass: Pick<NodeClass, 'spec' | 'status'>): boolean {
  return localDnsMode(nodeClass.spec.localDns) === 'Preferred' && localDnsState(nodeClass) === 'Disabled'
}

export function localDnsMode(localDns: unknown): unknown {
  return typeof localDns === 'object' && localDns !== null && 'mode' in localDns ? localDns.mode : undefined
}
