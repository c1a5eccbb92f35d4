import { type Change, type Field, oneOf, type Row } from './manifestCase.ts'

const AT = 'spec.localDNS'

type Zone = { readonly [member: string]: unknown }

const zone = (name: string, rest: Zone = {}): Zone => ({
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
})
const NEEDED = [zone('.'), zone('cluster.local')]
const EXAMPLE = zone('example.com', { forwardDestination: 'VnetDNS' })
const dns = (vnet: readonly Zone[], kube: readonly Zone[] = NEEDED): Change => ({
  [AT]: { mode: 'Required', vnetDNSOverrides: vnet, kubeDNSOverrides: kube },
})
const MANY = Array.from({ length: 98 }, (_, index) => zone(`z${index}.example.com`, { forwardDestination: 'VnetDNS' }))
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
  const given = { ...dns(NEEDED), [path]: [...NEEDED, EXAMPLE] }
  return {
    [path]: { takes: [NEEDED, [...NEEDED, EXAMPLE], [...NEEDED, ...MANY]], refuses: [[...NEEDED, ...MANY, EXAMPLE], {}], given },
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
  const given = { ...dns(NEEDED), [`${AT}.${list}`]: [...NEEDED, EXAMPLE] }
  return Object.fromEntries(MEMBERS.map((name) => [`${AT}.${list}[2].${name}`, given]))
}

/** Rows that hold for both lists. */
function listRows(list: string): { readonly [name: string]: Row } {
  const at = `${AT}.${list}`
  const of = (...zones: readonly Zone[]): Change => ({ ...dns(NEEDED), [at]: zones })
  const cluster = 'zones under cluster.local cannot be forwarded to VnetDNS'
  const verify = 'a zone with protocol ForceTCP cannot have serveStale Verify'
  const needed = 'must be listed'
  const toVnet = { forwardDestination: 'VnetDNS' }
  return {
    [`${list} without the root zone`]: { change: of(zone('cluster.local')), at, says: needed },
    [`${list} without the cluster's zone`]: { change: of(zone('.')), at, says: needed },
    [`${list} with a zone below the cluster's only`]: { change: of(zone('.'), zone('a.cluster.local')), at, says: needed },
    [`${list} without zones`]: { change: of(), at, says: needed },
    [`${list} with the same zone twice`]: { change: of(...NEEDED, EXAMPLE, EXAMPLE), at: `${at}[3]` },
    [`${list} with the cluster's zone sent to the network`]: {
      change: of(zone('.'), zone('cluster.local', toVnet)),
      at: `${at}[1]`,
      says: cluster,
    },
    [`${list} with a zone below the cluster's sent to the network`]: {
      change: of(...NEEDED, zone('a.cluster.local', toVnet)),
      at: `${at}[2]`,
      says: cluster,
    },
    [`${list} with a zone that ends like the cluster's sent to the network`]: {
      change: of(...NEEDED, zone('notcluster.local', toVnet)),
      at: `${at}[2]`,
      says: cluster,
    },
    [`${list} with a zone below the cluster's`]: { change: of(...NEEDED, zone('a.cluster.local')) },
    [`${list} with Verify and PreferUDP`]: { change: of(...NEEDED, { ...EXAMPLE, serveStale: 'Verify' }) },
    [`${list} with Verify and ForceTCP`]: {
      change: of(...NEEDED, { ...EXAMPLE, serveStale: 'Verify', protocol: 'ForceTCP' }),
      at: `${at}[2]`,
      says: verify,
    },
    [`${list} with Immediate and ForceTCP`]: { change: of(...NEEDED, { ...EXAMPLE, protocol: 'ForceTCP' }) },
  }
}

const TO_CLUSTER = { forwardDestination: 'ClusterCoreDNS' }

export const LOCAL_DNS_FIELDS: { readonly [path: string]: Field } = {
  [AT]: { takes: [], refuses: ['Required'] },
  [`${AT}.mode`]: { ...oneOf('Preferred', 'Required', 'Disabled'), given: dns(NEEDED) },
  ...Object.assign({}, ...LISTS.map(listFields)),
}

export const LOCAL_DNS_REQUIRED: { readonly [path: string]: Change } = {
  [`${AT}.mode`]: dns(NEEDED),
  ...Object.fromEntries(LISTS.map((list) => [`${AT}.${list}`, dns(NEEDED)])),
  ...Object.assign({}, ...LISTS.map(listRequired)),
}

export const LOCAL_DNS_ROWS: { readonly [name: string]: Row } = {
  ...Object.assign({}, ...LISTS.map(listRows)),
  'the root zone of the network sent to the cluster': {
    change: dns([zone('.', TO_CLUSTER), zone('cluster.local')]),
    at: `${AT}.vnetDNSOverrides`,
    says: "zone '.' of vnetDNSOverrides",
  },
  'another zone of the network sent to the cluster': {
    change: dns([...NEEDED, zone('example.com')]),
    at: `${AT}.vnetDNSOverrides`,
    says: 'outside cluster.local',
  },
  'the root zone of the cluster sent to the cluster': { change: dns(NEEDED, [zone('.', TO_CLUSTER), zone('cluster.local')]) },
  'another zone of the cluster sent to the cluster': { change: dns(NEEDED, [...NEEDED, zone('example.com')]) },
  'a zone added later that breaks a rule': {
    change: dns([...NEEDED, zone('example.com')]),
    from: dns(NEEDED),
    at: `${AT}.vnetDNSOverrides`,
    says: 'outside cluster.local',
  },
}
