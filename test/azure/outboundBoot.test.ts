/** The HTTP proxy and the certificate authorities of a cluster, from Azure's answer to the variables of the boot script. */
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outboundFailure } from '../../local/kubelet/outboundConfig.ts'
import { readShellScript } from '../../local/kubelet/shellScript.ts'
import { bootScript } from '../../shared/adapters/azure/bootstrap/customData.ts'
import { buildInstanceTypes } from '../../shared/adapters/azure/sizes/instanceTypes.ts'
import { usableSize } from '../../shared/adapters/azure/sizes/size.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import { parseManagedCluster } from '../../shared/wire/azure/managedCluster.ts'
import { CLUSTER_ID, managedCluster } from '../builders/managedCluster.ts'
import { candidateOf, claim, clusterConfig, nodeClass } from './harness.ts'
import { sku } from './skuBuilder.ts'

const SUBNET = '/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes'
const GUID = '00000000-0000-4000-8000-000000000001'
const PEM = Buffer.from('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n').toString('base64')
const API_SERVER = 'shop-abc123.hcp.eastus.azmk8s.io'
const HOSTILE = [
  ...[
    "http://p:1'; touch /x; '",
    'http://p$(id)',
    'http://`id`',
    'http://a b',
    'http://p"; id; "',
    'http://user:secret@p:1',
    'ftp://p',
    'p:3128',
  ],
  ...[
    '*.example',
    'a,b',
    '${X}',
    'a\nX=1',
    '\u0000',
    '%n',
    '\\',
    '',
    ' ',
    '-----BEGIN',
    'é',
    'a'.repeat(400),
    '/',
    '$IFS',
    '!!',
    '#',
    '&',
    '|',
  ],
]
const PROXY = { httpProxy: 'http://proxy.example:3128/', noProxy: ['.corp.example', '10.9.0.0/16'], trustedCa: PEM }

function factsOf(httpProxyConfig: unknown, customCATrustCertificates?: unknown): ClusterFacts {
  const read = parseManagedCluster(managedCluster({ httpProxyConfig, securityProfile: { customCATrustCertificates } }), CLUSTER_ID)
  return read.ok ? read.value : expect.fail(read.error.message)
}

function scriptOf(changes: Partial<Pick<ClusterFacts, 'httpProxy' | 'trustedCertificates'>>) {
  const own = { subscriptionId: GUID, tenantId: GUID, location: 'eastus', resourceGroups: ['mc_a'], subnetId: SUBNET }
  const { httpProxy, trustedCertificates = [] } = changes
  const config = { ...clusterConfig(own), httpProxy, trustedCertificates: [...trustedCertificates], apiServer: `https://${API_SERVER}` }
  const size = usableSize(sku({}))
  const [type] = buildInstanceTypes({ sizes: size === undefined ? [] : [size], prices: {}, usages: {} }, nodeClass(), config)
  if (type === undefined) throw new Error('the size must serve')
  return bootScript({
    claim: claim('one'),
    nodeClass: nodeClass(),
    candidate: candidateOf(type),
    config,
    imageId: '/CommunityGalleries/g/images/2404gen2containerd/versions/202608.21.0',
    bootstrapToken: 'abcdef.0123456789abcdef',
  })
}

function variablesOf(changes: Parameters<typeof scriptOf>[0]): ReadonlyMap<string, string | undefined> {
  const made = scriptOf(changes)
  return made.ok ? readShellScript(made.value).variables : expect.fail(made.error.message)
}

/** What a shell has after it evaluated the variable, as the scripts of the image do. */
function evaluated(proxyVars: string): readonly string[] {
  const shown = 'set -eu; eval $PROXY_VARS; printf "%s\\n" "${NO_PROXY-}" "${HTTPS_PROXY-}" "${http_proxy-}"'
  return execFileSync('/bin/bash', ['--norc', '-c', shown], {
    env: { PROXY_VARS: proxyVars },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).split('\n')
}

const plain = variablesOf({})

describe('a cluster with a proxy', () => {
  const facts = factsOf(PROXY)
  const exceptions = [
    ...['.corp.example', '10.9.0.0/16', 'localhost', '127.0.0.1', '168.63.129.16', '169.254.169.254', 'konnectivity', API_SERVER],
    ...['10.244.0.0/16', '10.0.0.0/16'],
  ].join(',')

  it('gives its nodes the proxy, its authority, and what they reach without it', () => {
    const variables = variablesOf(facts)
    expect(Object.fromEntries([...variables].filter(([name, value]) => plain.get(name) !== value))).toEqual({
      SHOULD_CONFIGURE_HTTP_PROXY: 'true',
      SHOULD_CONFIGURE_HTTP_PROXY_CA: 'true',
      HTTP_PROXY_TRUSTED_CA: PEM,
      HTTP_PROXY_URLS: 'http://proxy.example:3128/',
      HTTPS_PROXY_URLS: 'http://proxy.example:3128/',
      NO_PROXY_URLS: exceptions,
      PROXY_VARS: `export NO_PROXY="${exceptions}"; export HTTPS_PROXY="http://proxy.example:3128/"; export http_proxy="http://proxy.example:3128/";`,
    })
    expect(outboundFailure({ variables }, API_SERVER)).toBeUndefined()
    expect(evaluated(variables.get('PROXY_VARS') ?? '').slice(0, 3)).toEqual([
      exceptions,
      'http://proxy.example:3128/',
      'http://proxy.example:3128/',
    ])
  })

  it('has none where the proxy is off, or there is none', () => {
    for (const config of [{ ...PROXY, enabled: false }, null, undefined]) {
      expect([...variablesOf(factsOf(config))]).toEqual([...plain])
      expect(factsOf(config).unsupported).toEqual([])
    }
  })

  it('is refused by name where the scripts of the node could not take a value, which is not shown', () => {
    const bad = [
      { httpProxy: 'http://user:secret@p' },
      { httpsProxy: 'p:1' },
      { ...PROXY, noProxy: ['*.a'] },
      { ...PROXY, trustedCa: '-' },
      {},
    ]
    for (const config of bad) {
      const { unsupported, httpProxy } = factsOf(config)
      expect([unsupported.map(({ member }) => member), httpProxy]).toEqual([['httpProxyConfig'], undefined])
      expect(JSON.stringify(unsupported)).not.toContain('secret')
    }
  })
})

describe('a cluster with certificate authorities', () => {
  it('gives them to its nodes, each on one line', () => {
    const facts = factsOf(undefined, [PEM, `${PEM.slice(0, 8)}\n${PEM.slice(8)}`])
    const variables = variablesOf(facts)
    expect(Object.fromEntries([...variables].filter(([name, value]) => plain.get(name) !== value))).toEqual({
      SHOULD_CONFIGURE_CUSTOM_CA_TRUST: 'true',
      CUSTOM_CA_TRUST_COUNT: '2',
      CUSTOM_CA_CERT_0: PEM,
      CUSTOM_CA_CERT_1: PEM,
    })
    expect(outboundFailure({ variables }, API_SERVER)).toBeUndefined()
  })

  it.each([[[PEM, "'; id; '"]], [Array(11).fill(PEM)], ['text'], [[7]]])(
    'is refused by name where a node could not take them: %j',
    (certificates) => {
      const { unsupported, trustedCertificates } = factsOf(undefined, certificates)
      expect([unsupported.map(({ member }) => member), trustedCertificates]).toEqual([['securityProfile.customCATrustCertificates'], []])
    },
  )
})

describe('whatever Azure answers of a proxy and of certificates', () => {
  const text = fc.oneof(
    fc.constantFrom(...HOSTILE, 'http://p:1', 'https://p.example', PEM, '10.0.0.0/8'),
    fc.string(),
    fc.string({ unit: 'binary' }),
  )
  const usual = (...good: readonly string[]) => fc.oneof({ arbitrary: fc.constantFrom(...good), weight: 8 }, text)
  const list = fc.array(text, { maxLength: 3 })
  const names = fc.array(usual('.corp.example', '10.0.0.0/8', 'host', 'fd00::/8'), { maxLength: 3 })
  const address = usual('http://p:1', 'https://proxy.example/', '')

  it('is a value in the boot script, or refused by name', () => {
    let made = 0
    const config = fc.record({ httpProxy: address, httpsProxy: address, noProxy: names, trustedCa: usual(PEM, '') }, { requiredKeys: [] })
    fc.assert(
      fc.property(config, fc.array(usual(PEM), { maxLength: 3 }), (proxy, certificates) => {
        const facts = factsOf(proxy, certificates)
        if (facts.unsupported.length > 0) return
        made += 1
        const variables = variablesOf(facts)
        for (const [name, value = ''] of variables) if (plain.get(name) !== value) expect(value).toMatch(/^[A-Za-z0-9._:/,+="; -]*$/)
        const [noProxy, https, http] = evaluated(variables.get('PROXY_VARS') ?? '')
        expect([noProxy, https, http]).toEqual([
          variables.get('NO_PROXY_URLS') ?? '',
          variables.get('HTTPS_PROXY_URLS') ?? '',
          variables.get('HTTP_PROXY_URLS') ?? '',
        ])
      }),
      { numRuns: 400 },
    )
    expect(made).toBeGreaterThan(50)
  })

  it('is refused by the script, too, where stored facts hold something else', () => {
    let made = 0
    const proxy = fc.record({ http: address, noProxy: names, trustedCa: usual(PEM) }, { requiredKeys: ['noProxy'] })
    fc.assert(
      fc.property(proxy, list, (httpProxy, trustedCertificates) => {
        const script = scriptOf({ httpProxy, trustedCertificates })
        if (script.ok) {
          made += 1
          const value = readShellScript(script.value).variables.get('PROXY_VARS') ?? ''
          expect(evaluated(value)[0]).toBe(httpProxy.noProxy.join(','))
        } else {
          expect(script.error).toMatchObject({ code: 'NODECLASS.INVALID', path: expect.stringMatching(/PROXY|CUSTOM_CA/) })
          expect(script.error.message).not.toContain('secret')
        }
      }),
      { numRuns: 300 },
    )
    expect(made).toBeGreaterThan(20)
  })
})
