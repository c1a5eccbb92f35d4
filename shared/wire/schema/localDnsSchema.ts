import * as z from 'zod'
import { annotate, durationText, int32, ruled, type ValidationRule } from './parts.ts'

const ZONE = /^(\.|[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?)*\.?)$/

const override = ruled(
  z.looseObject({
    zone: z.string().min(1).max(254).regex(ZONE).describe('The DNS zone, or . for everything else.'),
    queryLogging: z.enum(['Error', 'Log']).describe('Which queries are logged.'),
    protocol: z.enum(['PreferUDP', 'ForceTCP']).describe('How queries are forwarded.'),
    forwardDestination: z.enum(['ClusterCoreDNS', 'VnetDNS']).describe('Who answers.'),
    forwardPolicy: z.enum(['Sequential', 'RoundRobin', 'Random']).describe('In which order servers are asked.'),
    maxConcurrent: int32('Most queries under way at a time.', { min: 0 }),
    cacheDuration: durationText('How long answers are kept.'),
    serveStaleDuration: durationText('How long answers are given after they have expired.'),
    serveStale: z.enum(['Verify', 'Immediate', 'Disable']).describe('When expired answers are given.'),
  }),
  'How names of one zone are resolved.',
  [
    {
      rule: "!self.zone.endsWith('cluster.local') || self.forwardDestination != 'VnetDNS'",
      message: 'zones under cluster.local cannot be forwarded to VnetDNS',
    },
    {
      rule: "self.serveStale != 'Verify' || self.protocol != 'ForceTCP'",
      message: 'a zone with protocol ForceTCP cannot have serveStale Verify',
    },
  ],
)

const NEEDED_ZONES: ValidationRule = {
  rule: "self.exists(o, o.zone == '.') && self.exists(o, o.zone == 'cluster.local')",
  message: "the zones '.' and 'cluster.local' must be listed",
}

const VNET_RULES: readonly ValidationRule[] = [
  NEEDED_ZONES,
  {
    rule: "self.all(o, o.zone != '.' || o.forwardDestination != 'ClusterCoreDNS')",
    message: "zone '.' of vnetDNSOverrides cannot be forwarded to ClusterCoreDNS",
  },
  {
    rule: "self.all(o, o.zone == '.' || o.zone.endsWith('cluster.local') || o.forwardDestination != 'ClusterCoreDNS')",
    message: 'zones of vnetDNSOverrides outside cluster.local cannot be forwarded to ClusterCoreDNS',
  },
]

function overrides(description: string, rules: readonly ValidationRule[]): z.ZodArray<typeof override> {
  return annotate(z.array(override).max(100), {
    description,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['zone'],
    'x-kubernetes-validations': rules,
  })
}

export const localDns = z
  .looseObject({
    mode: z
      .enum(['Preferred', 'Required', 'Disabled'])
      .describe('Whether each node runs a DNS server. Preferred keeps the state of the status, and turns nothing on.'),
    vnetDNSOverrides: overrides('For pods that use the DNS of the virtual network.', VNET_RULES),
    kubeDNSOverrides: overrides('For pods that use the DNS of the cluster.', [NEEDED_ZONES]),
  })
  .describe('A DNS proxy on each node.')

export type LocalDnsProfile = z.output<typeof localDns>
