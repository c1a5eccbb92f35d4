import { describe, expect, it } from 'vitest'
import { dnsZone } from '../../../../test/builders/localDns.ts'
import { secondsIn } from '../../../model/time.ts'
import { localDns } from '../../../wire/schema/localDnsSchema.ts'
import { corefile, type DnsZone } from './corefile.ts'

const CORE_DNS = '10.2.0.10'

/** The line of each value of each field. The types ask for a row of each value of an enum, a test for a row of each field. */
const LINES = {
  zone: { '.': '.:53 {', 'cluster.local': 'cluster.local:53 {', 'Corp.Example.': 'corp.example.:53 {' },
  queryLogging: { Error: 'errors', Log: 'log' } satisfies Record<DnsZone['queryLogging'], string>,
  protocol: { PreferUDP: 'prefer_udp', ForceTCP: 'force_tcp' } satisfies Record<DnsZone['protocol'], string>,
  forwardDestination: {
    ClusterCoreDNS: 'forward . 10.2.0.10 {',
    VnetDNS: 'forward . 168.63.129.16 {',
  } satisfies Record<DnsZone['forwardDestination'], string>,
  forwardPolicy: {
    Sequential: 'policy sequential',
    RoundRobin: 'policy round_robin',
    Random: 'policy random',
  } satisfies Record<DnsZone['forwardPolicy'], string>,
  maxConcurrent: { 0: 'max_concurrent 0', 2147483647: 'max_concurrent 2147483647' },
  cacheDuration: { '1s': 'cache 1 {', '1h30m5s': 'cache 5405 {', '90m': 'cache 5400 {', '1s1s': 'cache 2 {' },
  serveStaleDuration: { '0s': '0s', '2m': '120s' },
  serveStale: { Verify: 'verify', Immediate: 'immediate', Disable: '' } satisfies Record<DnsZone['serveStale'], string>,
}

type Row = { readonly zone: DnsZone; readonly line: { readonly [Field in keyof typeof LINES]: string } }

/** Each value of each field with each value of each other field. */
function rows(): readonly Row[] {
  const fields = Object.entries(LINES)
  const start: readonly { readonly zone: object; readonly line: object }[] = [{ zone: dnsZone('.'), line: {} }]
  const all = fields.reduce(
    (made, [field, values]) =>
      made.flatMap(({ zone, line }) =>
        Object.entries(values).map(([value, text]) => ({
          zone: { ...zone, [field]: field === 'maxConcurrent' ? Number(value) : value },
          line: { ...line, [field]: text },
        })),
      ),
    start,
  )
  return all as unknown as readonly Row[]
}

const SEARCH_DOMAINS = [
  'template ANY ANY internal.cloudapp.net {',
  String.raw`match "^([^.]+\.){4,}internal\.cloudapp\.net\.$"`,
  'rcode NXDOMAIN',
  'fallthrough',
  '}',
  'template ANY ANY reddog.microsoft.com {',
  'rcode NXDOMAIN',
  '}',
]

function wanted({ zone, line }: Row, listener: string, id: string): readonly string[] {
  return [
    line.zone,
    line.queryLogging,
    `bind ${listener}`,
    line.forwardDestination,
    line.protocol,
    line.forwardPolicy,
    line.maxConcurrent,
    '}',
    `ready ${listener}:8181`,
    line.cacheDuration,
    'success 9984',
    'denial 9984',
    ...(line.serveStale === '' ? [] : [`serve_stale ${line.serveStaleDuration} ${line.serveStale}`]),
    'servfail 0',
    '}',
    'loop',
    `nsid ${id}`,
    'prometheus :9253',
    ...(zone.zone === '.' ? SEARCH_DOMAINS : []),
    '}',
  ]
}

const linesOf = (text: string): readonly string[] => text.split('\n').map((line) => line.trim())
const HEALTH = ['health-check.localdns.local:53 {', 'bind 169.254.10.10 169.254.10.11', 'whoami', '}']

describe('the Corefile of a node', () => {
  it('has a row of each field of a zone', () => {
    expect(Object.keys(LINES)).toEqual(Object.keys(localDns.shape.vnetDNSOverrides.element.shape))
    expect(Object.keys(localDns.shape.kubeDNSOverrides.element.shape)).toEqual(Object.keys(LINES))
  })

  it('has the line of each value of each field, whatever the others are', () => {
    const all = rows()
    expect(all.length).toBe(3 * 2 * 2 * 2 * 3 * 2 * 4 * 2 * 3)
    for (const row of all) {
      const { zone } = row
      const text = corefile({ mode: 'Required', vnetDNSOverrides: [zone], kubeDNSOverrides: [zone] }, CORE_DNS)
      const servers = [...wanted(row, '169.254.10.10', 'localdns'), ...wanted(row, '169.254.10.11', 'localdns-pod')]
      expect(linesOf(text)).toEqual([...HEALTH, ...servers, ''])
    }
  })

  it('BS-16 is the same in any order of zones', () => {
    const zones = rows()
      .slice(0, 1)
      .flatMap(({ zone }) => ['b.example', '.', 'cluster.local', 'a.example'].map((name) => ({ ...zone, zone: name })))
    const of = (list: readonly DnsZone[]) =>
      corefile({ mode: 'Required', vnetDNSOverrides: [...list], kubeDNSOverrides: [...list] }, CORE_DNS)
    expect(of(zones.toReversed())).toBe(of(zones))
  })

  it.each([
    ['0s', 0],
    ['1h', 3600],
    ['2h2h', 14_400],
    ['10m1h', 4200],
    ['99999999999h', 359_999_999_996_400],
  ])('BS-16 has %s as %d seconds', (duration, want) => {
    expect(secondsIn(duration)).toBe(want)
  })
})
