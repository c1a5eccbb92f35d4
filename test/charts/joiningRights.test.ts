import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { obtainCredential } from '../../local/kubelet/obtainCredential.ts'
import { makeSigningRequest } from '../../local/kubelet/signingRequest.ts'
import { DEFAULT_MACHINE_NAMES, instanceNameOf, nodeClaimName } from '../../shared/model/ids.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { ClusterApi } from '../../shared/ports/clusterApi.ts'
import { SIGNAL } from '../conformance/harness.ts'
import { appApi } from './appStory.ts'
import { CAN_INSTALL, type ChartCluster, LIMIT_MS, startChartCluster, until, WHY_NOT } from './chartCluster.ts'
import { token } from './someObjects.ts'
import { APP_OBJECT_ID } from './valueSets.ts'

const SECRETS = '/api/v1/namespaces/kube-system/secrets'
const SIGNING_REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet'
const OWN = 'joiner-default-bbbbb'
const OTHER = 'joiner-default-ccccc'
const LONGEST = `default-${'x'.repeat(63 - 'joiner-default-'.length)}`

describe.skipIf(!CAN_INSTALL)(`a machine with the token of its claim${WHY_NOT}`, { timeout: LIMIT_MS }, () => {
  let cluster: ChartCluster
  let api: ClusterApi
  let own = ''
  beforeAll(async () => {
    cluster = await startChartCluster()
    await cluster.installCharts()
    api = appApi(await cluster.doorOf(APP_OBJECT_ID))
    own = await tokenFor('default-bbbbb')
    // An admission policy takes effect a moment after its creation.
    await until(async () => !(await join(own, OTHER)).ok)
  }, LIMIT_MS)
  afterAll(() => cluster?.close())

  const tokenFor = (claim: string) => api.putBootstrapToken(nodeClaimName(claim), epochMs(Date.now() + 600_000), SIGNAL)

  function join(shown: string, nodeName: string) {
    const bootstrap = { url: cluster.plane.url, ca: cluster.plane.caCertificate, credential: { kind: 'token', token: shown } } as const
    return obtainCredential({ flow: 'signingRequest', bootstrap, nodeName, patienceMs: 30_000, signal: SIGNAL })
  }

  const ask = (shown: string, request: string, signerName = KUBELET_CLIENT) =>
    cluster.with({ kind: 'token', token: shown })({
      method: 'POST',
      path: SIGNING_REQUESTS,
      body: { metadata: { generateName: 'node-csr-' }, spec: { request, signerName, usages: ['digital signature', 'client auth'] } },
    })

  it.each(['default-ddddd', 'pool.with.dots-ccccc', LONGEST])('gets the certificate of its own node: %s', async (claim) => {
    const name = nodeClaimName(claim)
    expect(await join(await tokenFor(claim), instanceNameOf(name, DEFAULT_MACHINE_NAMES))).toMatchObject({
      ok: true,
      value: { kind: 'certificate' },
    })
  })

  it('may have a key of another kind', async () => {
    const rsa = await requestFor(`O=system:nodes, CN=system:node:${OWN}`, RSA)
    expect(await ask(own, base64(rsa))).toMatchObject({ code: 200 })
  })

  it('gets no certificate of the node of another claim', async () => {
    const refused = await join(own, OTHER)
    expect(refused).toMatchObject({ ok: false, error: { code: 403, message: expect.stringContaining('of its own node only') } })
  })

  const cunning: { readonly [sentence: string]: () => Promise<string> } = {
    'a name that begins with its own': () => requestFor(`O=system:nodes, CN=system:node:${OWN}a`),
    'a name that its own begins with': () => requestFor(`O=system:nodes, CN=system:node:${OWN.slice(0, -1)}`),
    'a second name behind its own': () => requestFor(`O=system:nodes, CN=system:node:${OWN}, CN=system:node:${OTHER}`),
    'a second name before its own': () => requestFor(`CN=system:node:${OTHER}, O=system:nodes, CN=system:node:${OWN}`),
    'its own name as an organization': () => requestFor(`O=system:nodes, O=system:node:${OWN}, CN=system:node:${OTHER}`),
    'another group': () => requestFor(`O=system:masters, CN=system:node:${OWN}`),
    'words before the request': async () => `of ${OWN}\n${await requestFor(`O=system:nodes, CN=system:node:${OTHER}`)}`,
    'its own request before the other': async () =>
      `${(await requestFor(`O=system:nodes, CN=system:node:${OWN}`)).replaceAll('-----B', '----B')}\n${await requestFor(`O=system:nodes, CN=system:node:${OTHER}`)}`,
    'no request': async () => 'nothing',
  }
  for (const [sentence, make] of Object.entries(cunning)) {
    it(`gets nothing for ${sentence}`, async () => {
      const answer = await ask(own, base64(await make()))
      // The API server itself refuses input that is no certificate request.
      expect([403, 422]).toContain(answer.code)
      expect(answer.message).toMatch(/of its own node only|Invalid value|PEM block type must be/)
    })
  }

  it('gets no certificate of a node of AKS, even with a token of that name', async () => {
    const name = 'aks-system-vmss000000'
    const made = token('aksnod', { 'auth-extra-groups': `system:bootstrappers:joiner,system:bootstrappers:joiner:${name}` })
    expect(await cluster.admin({ method: 'POST', path: SECRETS, body: made })).toMatchObject({ code: 200 })
    const { request } = await makeSigningRequest(name)
    const answer = await ask('aksnod.0123456789abcdef', request)
    expect(answer).toMatchObject({ code: 403, message: expect.stringContaining('a node named joiner-* only') })
  })

  it('gets no other kind of certificate', async () => {
    const { request } = await makeSigningRequest(OWN)
    const answer = await ask(own, request, 'kubernetes.io/kube-apiserver-client')
    expect(answer).toMatchObject({ code: 403, message: expect.stringContaining('the client certificate of a kubelet only') })
  })

  it('that somebody else made may ask as before', async () => {
    const foreign = token('foreig', { 'auth-extra-groups': 'system:bootstrappers:aks' })
    const binding = {
      metadata: { name: 'foreign' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:bootstrappers:aks' }],
    }
    expect(await cluster.admin({ method: 'POST', path: SECRETS, body: foreign })).toMatchObject({ code: 200 })
    expect(await cluster.admin({ method: 'POST', path: BINDINGS, body: binding })).toMatchObject({ code: 200 })
    const { request } = await makeSigningRequest(OTHER)
    await until(async () => (await ask('foreig.0123456789abcdef', request)).code === 200)
  })
})

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 4096, publicExponent: new Uint8Array([1, 0, 1]) } as const

async function requestFor(name: string, algorithm: typeof EC | typeof RSA = EC): Promise<string> {
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
  const request = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm }, webcrypto)
  return request.toString('pem')
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
