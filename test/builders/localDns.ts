export type Zone = { readonly [member: string]: unknown }

/** A zone as `spec.localDNS` of an AKSNodeClass lists it. */
export function dnsZone(name: string, rest: Zone = {}): Zone {
  return {
    zone: name,
    queryLogging: 'Error',
    protocol: 'PreferUDP',
    forwardDestination: name === '.' ? 'VnetDNS' : 'ClusterCoreDNS',
    forwardPolicy: 'Sequential',
    maxConcurrent: 100,
    cacheDuration: '1h',
    serveStaleDuration: '1h',
    serveStale: 'Immediate',
    ...rest,
  }
}

export const NEEDED_ZONES: readonly Zone[] = [dnsZone('.'), dnsZone('cluster.local')]

/** `spec.localDNS` with the zones that every class must list. */
export function localDns(mode: string, changes: { readonly [list: string]: unknown } = {}): Zone {
  return { mode, vnetDNSOverrides: NEEDED_ZONES, kubeDNSOverrides: NEEDED_ZONES, ...changes }
}
