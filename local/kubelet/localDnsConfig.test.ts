import { describe, expect, it } from 'vitest'
import { localDnsFailure } from './localDnsConfig.ts'

const GOOD = `
health-check.localdns.local:53 {
    bind 169.254.10.10 169.254.10.11
    whoami
}
.:53 {
    errors # of this zone
    bind 169.254.10.10
    forward . 168.63.129.16 {
        prefer_udp
        policy sequential
        max_concurrent 1000
    }
    ready 169.254.10.10:8181
    cache 3600 {
        success 9984
        serve_stale 3600s verify
        servfail 0
    }
    prometheus :9253
    template ANY ANY example.com {
        match "^a\\.b$"
        rcode NXDOMAIN
    }
}
cluster.local:53 {
    bind 169.254.10.10
    forward . 10.0.0.10
}
.:53 {
    bind 169.254.10.11
    forward . 10.0.0.10
}
cluster.local.:53 {
    bind 169.254.10.11
    forward . 10.0.0.10
}
`

type Case = {
  readonly text?: string
  readonly variables?: { readonly [name: string]: string }
  readonly clusterDns?: string
  readonly state?: string
}

function failureOf({ text = GOOD, variables = {}, clusterDns = '169.254.10.11', state = 'enabled' }: Case): string | undefined {
  const all = {
    SHOULD_ENABLE_LOCALDNS: 'true',
    LOCALDNS_CPU_LIMIT: '200.0%',
    LOCALDNS_MEMORY_LIMIT: '128M',
    LOCALDNS_GENERATED_COREFILE: Buffer.from(text).toString('base64'),
    ...variables,
  }
  const labels = { 'kubernetes.azure.com/localdns-state': state }
  return localDnsFailure({ variables: new Map(Object.entries(all)) }, { clusterDns, labels })
}

const changed = (from: string, to: string): Case => {
  expect(GOOD).toContain(from)
  return { text: GOOD.replace(from, to) }
}
const OFF = { SHOULD_ENABLE_LOCALDNS: 'false' }

describe('a machine with local DNS', () => {
  it.each([
    ['on', {}],
    [
      'on, by the newer variable',
      { variables: { LOCALDNS_COREFILE_BASE: Buffer.from(GOOD).toString('base64'), LOCALDNS_GENERATED_COREFILE: '' } },
    ],
    ['off', { variables: OFF, clusterDns: '10.0.0.10', state: 'disabled' }],
  ])('%s has DNS', (_name, given: Case) => expect(failureOf(given)).toBeUndefined())

  const refused: { readonly [sentence: string]: readonly [() => Case, string] } = {
    'off, and pods that ask it': [
      () => ({ variables: OFF, state: 'disabled' }),
      'pods would ask 169.254.10.11 for names, and local DNS is off',
    ],
    'on, and pods that do not ask it': [() => ({ clusterDns: '10.0.0.10' }), 'pods would ask 10.0.0.10'],
    'on, and a label that it is off': [() => ({ state: 'disabled' }), 'localdns-state=disabled'],
    'and no Corefile': [() => ({ variables: { LOCALDNS_GENERATED_COREFILE: '' } }), 'exits with 216'],
    'and a Corefile that is no base64': [() => ({ variables: { LOCALDNS_GENERATED_COREFILE: '.:53 {' } }), 'exits with 216'],
    'and no limit of CPU': [() => ({ variables: { LOCALDNS_CPU_LIMIT: '' } }), 'LOCALDNS_CPU_LIMIT'],
    'and a limit of memory that is none': [() => ({ variables: { LOCALDNS_MEMORY_LIMIT: '128MB' } }), 'LOCALDNS_MEMORY_LIMIT'],
    'and a directive that is none': [() => changed('errors', 'error'), 'unknown directive error'],
    'and a property that is none': [() => changed('prefer_udp', 'PreferUDP'), 'plugin/forward: unknown property PreferUDP'],
    'and a policy that is none': [() => changed('policy sequential', 'policy Sequential'), 'unknown property policy Sequential'],
    'and a cache of no time': [() => changed('cache 3600', 'cache 0'), 'cache TTL can not be zero'],
    'and a cache of a text': [() => changed('cache 3600', 'cache 1h'), 'plugin/cache: wrong argument 1h'],
    'and one server twice': [() => changed('bind 169.254.10.11\n    forward', 'bind 169.254.10.10\n    forward'), 'already defined'],
    'and a zone with a capital letter': [() => changed('cluster.local:53', 'Cluster.local:53'), 'capital letter'],
    'and no port': [() => changed('cluster.local:53', 'cluster.local'), 'port 53'],
    'and a block without end': [() => ({ text: GOOD.trimEnd().slice(0, -1) }), 'has no end'],
    'and no zone that the image asks for': [
      () => changed('health-check.localdns.local', 'health'),
      'no server for health-check.localdns.local',
    ],
    'and no readiness': [() => changed('ready 169.254.10.10:8181', 'ready 169.254.10.11:8181'), 'nothing answers at 169.254.10.10:8181'],
    'and another address': [
      () => changed('169.254.10.10 169.254.10.11', '169.254.10.10 169.254.10.11 10.1.1.1'),
      'cannot listen on 10.1.1.1',
    ],
    'that asks itself': [() => changed('forward . 10.0.0.10', 'forward . 169.254.10.11'), 'goes in a circle'],
  }
  it.each(Object.entries(refused))('%s does not boot', (_sentence, [given, want]) => expect(failureOf(given())).toContain(want))
})
