import { byText } from '../../../base/lists.ts'
import { secondsIn } from '../../../model/time.ts'
import type { LocalDnsProfile } from '../../../wire/schema/localDnsSchema.ts'

export type DnsZone = LocalDnsProfile['vnetDNSOverrides'][number]

/** Processes of the node and pods with `dnsPolicy: Default` ask this address. */
const NODE_LISTENER = '169.254.10.10'
/** Pods with `dnsPolicy: ClusterFirst` ask this address. It is the cluster DNS of the kubelet. */
export const CLUSTER_LISTENER = '169.254.10.11'
/** Stands for the DNS servers of the virtual network: the image puts those of the machine in its place. */
const VNET_DNS = '168.63.129.16'
const READY_PORT = 8181
const METRICS_PORT = 9253
/** Answers of each kind in a cache. */
const CACHED = 9984
const POLICIES = { Sequential: 'sequential', RoundRobin: 'round_robin', Random: 'random' } as const

/**
 * The configuration of CoreDNS on the node. The text does not depend on the order of zones. Zones are in lower case: CoreDNS 1.12.3 finds no name in a
 * zone with a capital letter. What the image counts on: both listeners, `/ready` on port
 * 8181, the zone `health-check.localdns.local` on each listener, and the address that stands for the DNS of the network. Metrics on port 9253 are
 * documented. (Azure/AgentBaker, localdns.sh and cse_config.sh of 2026-08-21; learn.microsoft.com/azure/aks/localdns-custom of 2026-07-06.)
 */
export function corefile({ vnetDNSOverrides, kubeDNSOverrides }: LocalDnsProfile, coreDns: string): string {
  const health = block(HEALTH_ZONE, [`bind ${NODE_LISTENER} ${CLUSTER_LISTENER}`, 'whoami'])
  const ofNode = sorted(vnetDNSOverrides).map((zone) => zoneBlock(zone, { listener: NODE_LISTENER, id: 'localdns', coreDns }))
  const ofPods = sorted(kubeDNSOverrides).map((zone) => zoneBlock(zone, { listener: CLUSTER_LISTENER, id: 'localdns-pod', coreDns }))
  return [health, ...ofNode, ...ofPods].join('')
}

/** The zone that the image asks for to see whether CoreDNS answers. */
export const HEALTH_ZONE = 'health-check.localdns.local'

function sorted(zones: readonly DnsZone[]): readonly DnsZone[] {
  return [...zones].sort((one, other) => byText(one.zone, other.zone))
}

type Place = { readonly listener: string; readonly id: string; readonly coreDns: string }

function zoneBlock(zone: DnsZone, { listener, id, coreDns }: Place): string {
  return block(zone.zone.toLowerCase(), [
    zone.queryLogging === 'Log' ? 'log' : 'errors',
    `bind ${listener}`,
    ...plugin(`forward . ${zone.forwardDestination === 'ClusterCoreDNS' ? coreDns : VNET_DNS}`, [
      zone.protocol === 'ForceTCP' ? 'force_tcp' : 'prefer_udp',
      `policy ${POLICIES[zone.forwardPolicy]}`,
      `max_concurrent ${zone.maxConcurrent}`,
    ]),
    `ready ${listener}:${READY_PORT}`,
    ...plugin(`cache ${secondsIn(zone.cacheDuration)}`, [`success ${CACHED}`, `denial ${CACHED}`, ...staleLines(zone), 'servfail 0']),
    'loop',
    `nsid ${id}`,
    `prometheus :${METRICS_PORT}`,
    ...(zone.zone === '.' ? SEARCH_DOMAINS : []),
  ])
}

function staleLines({ serveStale, serveStaleDuration }: DnsZone): readonly string[] {
  return serveStale === 'Disable' ? [] : [`serve_stale ${secondsIn(serveStaleDuration)}s ${serveStale.toLowerCase()}`]
}

/** Names that a search domain of Azure was added to are answered on the node. (learn.microsoft.com/azure/aks/dns-concepts of 2026-06-30.) */
const SEARCH_DOMAINS: readonly string[] = [
  ...plugin('template ANY ANY internal.cloudapp.net', [
    String.raw`match "^([^.]+\.){4,}internal\.cloudapp\.net\.$"`,
    'rcode NXDOMAIN',
    'fallthrough',
  ]),
  ...plugin('template ANY ANY reddog.microsoft.com', ['rcode NXDOMAIN']),
]

function block(zone: string, lines: readonly string[]): string {
  return `${plugin(`${zone}:53`, lines).join('\n')}\n`
}

function plugin(head: string, lines: readonly string[]): readonly string[] {
  return [`${head} {`, ...lines.map((line) => `    ${line}`), '}']
}
