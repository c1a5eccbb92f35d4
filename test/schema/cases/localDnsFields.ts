import { dnsZone, NEEDED_ZONES, type Zone } from '../../builders/localDns.ts'
import { type Change, type Field, oneOf, type Row } from './manifestCase.ts'

const AT = 'spec.localDNS'

const EXAMPLE = dnsZone('example.com', { forwardDestination: 'VnetDNS' })
const dns = (vnet: readonly Zone[], kube: readonly Zone[] = NEEDED_ZONES): Change => ({
  [AT]: { mode: 'Required', vnetDNSOverrides: vnet, kubeDNSOverrides: kube },
})
const MANY = Array.from({ length: 98 }, (_, index) => dnsZone(`z${index}.example.com`, { forwardDestination: 'VnetDNS' }))
const LISTS = ['vnetDNSOverrides', 'kubeDNSOverrides'] as const
const MEMBERS = Object.keys(EXAMPLE)
/** Cache durations: the format of the zones' durations, without Never. */
const CACHE: Field = { takes: ['0s', '1h', '1h30m5s'], refuses: ['1d', 'Never', '', '-1s', 60] }
const LABEL = 'a'.repeat(63)

const ZONES: Field = {
  takes: ['example.com', 'example.com.', 'Example', 'a_b.example', LABEL, `${LABEL}.${LABEL}.${LABEL}.${'a'.repeat(62)}`, 'a1'],
  refuses: ['', '..', '-a', 'a-', 'a..b', `${LABEL}a`, 'a b', '*.example.com', '_a', `${LABEL}.${LABEL}.${LABEL}.${LABEL}`, 1],
}

function listFields(list: string): { readonly [path: string]: Field } {
  const path = `${AT}.${list}`
  const given = { ...dns(NEEDED_ZONES), [path]: [...NEEDED_ZONES, EXAMPLE] }
  return {
    [path]: {
      takes: [NEEDED_ZONES, [...NEEDED_ZONES, EXAMPLE], [...NEEDED_ZONES, ...MANY]],
      refuses: [[...NEEDED_ZONES, ...MANY, EXAMPLE], {}],
      given,
    },
    [`${path}[2]`]: { takes: [EXAMPLE], refuses: ['example.com', null], given },
    [`${path}[2].zone`]: { ...ZONES, given },
    [`${path}[2].queryLogging`]: { ...oneOf('Error', 'Log'), given },
    [`${path}[2].protocol`]: { ...oneOf('PreferUDP', 'ForceTCP'), given },
    [`${path}[2].forwardDestination`]: { takes: ['VnetDNS'], refuses: ['', 'vnetdns', 1], given },
    [`${path}[2].forwardPolicy`]: { ...oneOf('Sequential', 'RoundRobin', 'Random'), given },
    [`${path}[2].serveStale`]: { ...oneOf('Verify', 'Immediate', 'Disable'), given },
    [`${path}[2].maxConcurrent`]: { takes: [0, 2_147_483_647], refuses: [-1, 0.5, '1', 2_147_483_648], given },
    [`${path}[2].cacheDuration`]: { ...CACHE, given },
    [`${path}[2].serveStaleDuration`]: { ...CACHE, given },
  }
}

function listRequired(list: string): { readonly [path: string]: Change } {
  const given = { ...dns(NEEDED_ZONES), [`${AT}.${list}`]: [...NEEDED_ZONES, EXAMPLE] }
  return Object.fromEntries(MEMBERS.map((name) => [`${AT}.${list}[2].${name}`, given]))
}

/** Rows that hold for both lists. */
function listRows(list: string): { readonly [name: string]: Row } {
  const at = `${AT}.${list}`
  const of = (...zones: readonly Zone[]): Change => ({ ...dns(NEEDED_ZONES), [at]: zones })
  const cluster = 'zones under cluster.local cannot be forwarded to VnetDNS'
  const verify = 'a zone with protocol ForceTCP cannot have serveStale Verify'
  const needed = 'must be listed'
  const toVnet = { forwardDestination: 'VnetDNS' }
  return {
    [`${list} without the root zone`]: { change: of(dnsZone('cluster.local')), at, says: needed },
    [`${list} without the cluster's zone`]: { change: of(dnsZone('.')), at, says: needed },
    [`${list} with a zone below the cluster's only`]: { change: of(dnsZone('.'), dnsZone('a.cluster.local')), at, says: needed },
    [`${list} without zones`]: { change: of(), at, says: needed },
    [`${list} with the same zone twice`]: { change: of(...NEEDED_ZONES, EXAMPLE, EXAMPLE), at: `${at}[3]` },
    [`${list} with the cluster's zone sent to the network`]: {
      change: of(dnsZone('.'), dnsZone('cluster.local', toVnet)),
      at: `${at}[1]`,
      says: cluster,
    },
    [`${list} with a zone below the cluster's sent to the network`]: {
      change: of(...NEEDED_ZONES, dnsZone('a.cluster.local', toVnet)),
      at: `${at}[2]`,
      says: cluster,
    },
    [`${list} with a zone that ends like the cluster's sent to the network`]: {
      change: of(...NEEDED_ZONES, dnsZone('notcluster.local', toVnet)),
      at: `${at}[2]`,
      says: cluster,
    },
    [`${list} with a zone below the cluster's`]: { change: of(...NEEDED_ZONES, dnsZone('a.cluster.local')) },
    [`${list} with Verify and PreferUDP`]: { change: of(...NEEDED_ZONES, { ...EXAMPLE, serveStale: 'Verify' }) },
    [`${list} with Verify and ForceTCP`]: {
      change: of(...NEEDED_ZONES, { ...EXAMPLE, serveStale: 'Verify', protocol: 'ForceTCP' }),
      at: `${at}[2]`,
      says: verify,
    },
    [`${list} with Immediate and ForceTCP`]: { change: of(...NEEDED_ZONES, { ...EXAMPLE, protocol: 'ForceTCP' }) },
  }
}

const TO_CLUSTER = { forwardDestination: 'ClusterCoreDNS' }

export const LOCAL_DNS_FIELDS: { readonly [path: string]: Field } = {
  [AT]: { takes: [], refuses: ['Required'] },
  [`${AT}.mode`]: { ...oneOf('Preferred', 'Required', 'Disabled'), given: dns(NEEDED_ZONES) },
  ...Object.assign({}, ...LISTS.map(listFields)),
}

export const LOCAL_DNS_REQUIRED: { readonly [path: string]: Change } = {
  [`${AT}.mode`]: dns(NEEDED_ZONES),
  ...Object.fromEntries(LISTS.map((list) => [`${AT}.${list}`, dns(NEEDED_ZONES)])),
  ...Object.assign({}, ...LISTS.map(listRequired)),
}

export const LOCAL_DNS_ROWS: { readonly [name: string]: Row } = {
  ...Object.assign({}, ...LISTS.map(listRows)),
  'the root zone of the network sent to the cluster': {
    change: dns([dnsZone('.', TO_CLUSTER), dnsZone('cluster.local')]),
    at: `${AT}.vnetDNSOverrides`,
    says: "zone '.' of vnetDNSOverrides",
  },
  'another zone of the network sent to the cluster': {
    change: dns([...NEEDED_ZONES, dnsZone('example.com')]),
    at: `${AT}.vnetDNSOverrides`,
    says: 'outside cluster.local',
  },
  'the root zone of the cluster sent to the cluster': { change: dns(NEEDED_ZONES, [dnsZone('.', TO_CLUSTER), dnsZone('cluster.local')]) },
  'another zone of the cluster sent to the cluster': { change: dns(NEEDED_ZONES, [...NEEDED_ZONES, dnsZone('example.com')]) },
  'a zone added later that breaks a rule': {
    change: dns([...NEEDED_ZONES, dnsZone('example.com')]),
    from: dns(NEEDED_ZONES),
    at: `${AT}.vnetDNSOverrides`,
    says: 'outside cluster.local',
  },
}
