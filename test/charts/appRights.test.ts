import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { obtainCredential } from '../../local/kubelet/obtainCredential.ts'
import { nodeClaimName } from '../../shared/model/ids.ts'
import { epochMs } from '../../shared/model/units.ts'
import { SIGNAL } from '../conformance/harness.ts'
import { appApi, playApp } from './appStory.ts'
import { CAN_INSTALL, type Caller, type ChartCluster, LIMIT_MS, startChartCluster, until, WHY_NOT } from './chartCluster.ts'
import { render } from './helm.ts'
import { auditOf, grantedTo } from './rights.ts'
import { BUFFER, NODE_CLASS, NODE_OVERLAY, NODE_POOL, node, pod, token } from './someObjects.ts'
import { APP_OBJECT_ID, REQUIRED } from './valueSets.ts'

const NODES = '/api/v1/nodes'
const POOLS = '/apis/karpenter.sh/v1/nodepools'
const POOL = `${POOLS}/default`
const CLASSES = '/apis/karpenter.azure.com/v1beta1/aksnodeclasses'
const CLASS = `${CLASSES}/default`
const SECRETS = '/api/v1/namespaces/kube-system/secrets'
const MERGE = 'application/merge-patch+json'
const OURS = 'joiner-default-aaaaa'
/** The node of a NodeClaim that a person made, before its registration. */
const OF_NO_POOL = 'joiner-mine'
const FOREIGN = 'aks-system-vmss000000'
/** A bootstrap token for machines that are not Joiner's. */
const FOREIGN_TOKEN = token('foreig', { 'auth-extra-groups': 'system:bootstrappers:aks' })

describe.skipIf(!CAN_INSTALL)(`the app with the rights of the chart${WHY_NOT}`, { timeout: LIMIT_MS }, () => {
  let cluster: ChartCluster
  let app: Caller
  beforeAll(async () => {
    cluster = await startChartCluster()
    app = cluster.as(APP_OBJECT_ID)
    await cluster.installCharts()
    await until(async () => (await cluster.admin({ method: 'POST', path: POOLS, body: NODE_POOL })).code === 200)
    const made: readonly (readonly [string, object])[] = [
      [CLASSES, NODE_CLASS],
      ['/apis/karpenter.sh/v1alpha1/nodeoverlays', NODE_OVERLAY],
      ['/apis/autoscaling.x-k8s.io/v1beta1/namespaces/default/capacitybuffers', BUFFER],
      [NODES, node(OURS, { 'karpenter.sh/nodepool': 'default' })],
      [NODES, node(OF_NO_POOL, { 'karpenter.azure.com/aksnodeclass': 'default' })],
      [NODES, node(FOREIGN, { 'kubernetes.io/os': 'linux' })],
      ['/api/v1/namespaces/default/pods', pod('one', OURS)],
      ['/api/v1/namespaces/default/pods', pod('two', OURS)],
      [SECRETS, FOREIGN_TOKEN],
      [SECRETS, { metadata: { name: 'password' }, stringData: { a: 'b' } }],
    ]
    for (const [path, body] of made) expect(await cluster.admin({ method: 'POST', path, body })).toMatchObject({ code: 200 })
    await policiesAreInForce()
  }, LIMIT_MS)
  afterAll(() => cluster?.close())

  /** An admission policy takes effect a moment after its creation. */
  async function policiesAreInForce(): Promise<void> {
    const path = `${NODES}/${FOREIGN}`
    const body = { metadata: { labels: { tried: 'yes' } } }
    const query = { dryRun: 'All' }
    await until(async () => (await app({ method: 'PATCH', path, body, query, contentType: MERGE })).code === 403)
    const secret = { metadata: { name: 'tried' } }
    await until(async () => (await app({ method: 'POST', path: SECRETS, body: secret, query })).message.includes('bootstrap-token-'))
    for (const changed of [POOL, CLASS])
      await until(async () => (await app({ method: 'PATCH', path: changed, body, query, contentType: MERGE })).code === 403)
  }

  it('does all of its work, is denied nothing, and has no right it does not use', async () => {
    await playApp(appApi(await cluster.doorOf(APP_OBJECT_ID)), OURS)
    const granted = grantedTo(APP_OBJECT_ID, await render(REQUIRED))
    // The audit log is written a moment after the answer.
    await until(async () => auditOf(cluster.plane, APP_OBJECT_ID).used.includes('delete karpenter.sh/nodeclaims'))
    expect(auditOf(cluster.plane, APP_OBJECT_ID)).toEqual({ used: granted, denied: [] })
  })

  it('makes tokens that a machine joins with, once the chart is there', async () => {
    const claim = nodeClaimName('default-bbbbb')
    const api = appApi(await cluster.doorOf(APP_OBJECT_ID))
    const joined = await join(await api.putBootstrapToken(claim, epochMs(Date.now() + 600_000), SIGNAL))
    expect(joined).toMatchObject({ ok: true, value: { kind: 'certificate' } })
    expect(await join('foreig.0123456789abcdef')).toMatchObject({ ok: false, error: { code: 403 } })
    expect(await join('nobody.0123456789abcdef')).toMatchObject({ ok: false, error: { code: 401 } })
  })

  it('writes the node of a claim of no pool, which carries its class from its boot on', async () => {
    const body = { metadata: { labels: { 'karpenter.sh/registered': 'true' } } }
    expect(await app({ method: 'PATCH', path: `${NODES}/${OF_NO_POOL}`, body, contentType: MERGE })).toMatchObject({ code: 200 })
  })

  it('writes the finalizer of an aksnodeclass that has no spec', async () => {
    const { spec: _, ...bare } = NODE_CLASS
    expect(await cluster.admin({ method: 'POST', path: CLASSES, body: { ...bare, metadata: { name: 'bare' } } })).toMatchObject({
      code: 200,
    })
    const path = `${CLASSES}/bare`
    for (const finalizers of [['karpenter.azure.com/termination'], null])
      expect(await app({ method: 'PATCH', path, body: { metadata: { finalizers } }, contentType: MERGE })).toMatchObject({ code: 200 })
    expect(await app({ method: 'PATCH', path, body: { spec: { imageFamily: 'Ubuntu' } }, contentType: MERGE })).toMatchObject({ code: 403 })
  })

  const policy: { readonly [sentence: string]: Forbidden } = {
    'a Secret that is no token': {
      call: { method: 'POST', path: SECRETS, body: { metadata: { name: 'bootstrap-token-abcdef' }, stringData: { a: 'b' } } },
      want: 'Secrets of type bootstrap.kubernetes.io/token only',
    },
    'a token under another name': {
      call: { method: 'POST', path: SECRETS, body: { ...token('abcdef'), metadata: { name: 'token-abcdef' } } },
      want: 'named bootstrap-token-* in kube-system only',
    },
    'a token under a name the server makes up': {
      call: { method: 'POST', path: SECRETS, body: { ...token('abcdef'), metadata: { generateName: 'bootstrap-token-' } } },
      want: 'denied',
    },
    'a token of another group': {
      call: { method: 'POST', path: SECRETS, body: token('abcdef', { 'auth-extra-groups': 'system:bootstrappers:aks' }) },
      want: 'tokens of the groups system:bootstrappers:joiner and system:bootstrappers:joiner:<node> only',
    },
    'a token of its group and another': {
      call: {
        method: 'POST',
        path: SECRETS,
        body: token('abcdef', { 'auth-extra-groups': 'system:bootstrappers:joiner,system:bootstrappers:aks' }),
      },
      want: 'tokens of the groups system:bootstrappers:joiner and system:bootstrappers:joiner:<node> only',
    },
    'a token of another group behind those of its own': {
      call: {
        method: 'POST',
        path: SECRETS,
        body: token('abcdef', {
          'auth-extra-groups': 'system:bootstrappers:joiner,system:bootstrappers:joiner:joiner-default-aaaaa,system:bootstrappers:aks',
        }),
      },
      want: 'tokens of the groups system:bootstrappers:joiner and system:bootstrappers:joiner:<node> only',
    },
    'a token of every machine that joins': {
      call: { method: 'POST', path: SECRETS, body: token('abcdef', { 'auth-extra-groups': 'system:bootstrappers:joiner' }) },
      want: 'tokens of the groups system:bootstrappers:joiner and system:bootstrappers:joiner:<node> only',
    },
    "a token of a machine named like those of AKS's own pools": {
      call: {
        method: 'POST',
        path: SECRETS,
        body: token('abcdef', {
          'auth-extra-groups': `system:bootstrappers:joiner,system:bootstrappers:joiner:${FOREIGN}`,
        }),
      },
      want: 'tokens of nodes named joiner-* only',
    },
    'a token without an end': {
      call: { method: 'POST', path: SECRETS, body: token('abcdef', { expiration: undefined }) },
      want: 'must have an expiration',
    },
    "somebody else's token, in place of its own": {
      call: { method: 'PUT', path: `${SECRETS}/bootstrap-token-foreig`, body: token('foreig') },
      want: 'tokens of the groups system:bootstrappers:joiner and system:bootstrappers:joiner:<node> only',
    },
    "the end of somebody else's token": {
      call: { method: 'DELETE', path: `${SECRETS}/bootstrap-token-foreig` },
      want: 'tokens of the groups system:bootstrappers:joiner and system:bootstrappers:joiner:<node> only',
    },
    'the end of any other Secret': {
      call: { method: 'DELETE', path: `${SECRETS}/password` },
      want: 'named bootstrap-token-* in kube-system only',
    },
    'a taint on a node no claim owns': {
      call: { method: 'PATCH', path: `${NODES}/${FOREIGN}`, body: { spec: { taints: [] } }, contentType: MERGE },
      want: 'only nodes that a NodeClaim owns',
    },
    'the label that would make such a node its own': {
      call: {
        method: 'PATCH',
        path: `${NODES}/${FOREIGN}`,
        body: { metadata: { labels: { 'karpenter.sh/nodepool': 'default' } } },
        contentType: MERGE,
      },
      want: 'only nodes that a NodeClaim owns',
    },
    'limits of a NodePool': ofPool({ spec: { limits: { cpu: '1' } } }),
    'the template of a NodePool': ofPool({ spec: { template: { metadata: { labels: { a: 'b' } } } } }),
    'a label of a NodePool': ofPool({ metadata: { labels: { a: 'b' } } }),
    'a finalizer of a NodePool': ofPool({ metadata: { finalizers: ['example.com/held'] } }),
    'an owner of a NodePool': ofPool({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'any', uid: '0f8a6b1e-52c4-4b0d-9a37-6d1f2e3c4b5a' }] },
    }),
    'another annotation of a NodePool': ofPool({ metadata: { annotations: { note: 'x' } } }),
    'another annotation beside the hash of a NodePool': ofPool({
      metadata: { annotations: { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/do-not-disrupt': 'true' } },
    }),
    'the removal of another annotation of a NodePool': ofPool({ metadata: { annotations: { kept: null } } }),
    'the spec of an AKSNodeClass': ofClass({ spec: { osDiskSizeGB: 64 } }),
    'a label of an AKSNodeClass': ofClass({ metadata: { labels: { a: 'b' } } }),
    'an annotation of an AKSNodeClass': ofClass({ metadata: { annotations: { note: 'x' } } }),
    'another finalizer of an AKSNodeClass': ofClass({ metadata: { finalizers: ['karpenter.azure.com/termination', 'example.com/held'] } }),
    'an owner of an AKSNodeClass': ofClass({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'any', uid: '0f8a6b1e-52c4-4b0d-9a37-6d1f2e3c4b5a' }] },
    }),
    'the end of such a node': { call: { method: 'DELETE', path: `${NODES}/${FOREIGN}` }, want: 'only nodes that a NodeClaim owns' },
  }
  for (const [sentence, { call, want }] of Object.entries(policy)) {
    it(`may not write ${sentence}, which a policy refuses`, async () => {
      const answer = await app(call)
      expect(answer).toMatchObject({ code: 403, message: expect.stringContaining('ValidatingAdmissionPolicy') })
      expect(answer.message).toContain(want)
    })
  }

  const role: { readonly [sentence: string]: Forbidden['call'] } = {
    'read a Secret': { method: 'GET', path: `${SECRETS}/password` },
    'read the token it made': { method: 'GET', path: `${SECRETS}/bootstrap-token-abcdef` },
    'list Secrets': { method: 'GET', path: SECRETS },
    'watch Secrets': { method: 'GET', path: SECRETS, query: { watch: 'true' } },
    'see a Secret in the answer to a patch': { method: 'PATCH', path: `${SECRETS}/password`, body: {}, contentType: MERGE },
    'delete all Secrets': { method: 'DELETE', path: SECRETS },
    'make a token outside kube-system': { method: 'POST', path: '/api/v1/namespaces/default/secrets', body: token('abcdef') },
    'make a node': { method: 'POST', path: NODES, body: node('joiner-default-ccccc') },
    'write the status of a node': { method: 'PATCH', path: `${NODES}/${FOREIGN}/status`, body: {}, contentType: MERGE },
    'make a pod': { method: 'POST', path: '/api/v1/namespaces/default/pods', body: pod('three', OURS) },
    'change a pod': { method: 'PATCH', path: '/api/v1/namespaces/default/pods/two', body: {}, contentType: MERGE },
    'run something in a pod': { method: 'POST', path: '/api/v1/namespaces/default/pods/one/exec' },
    'make a NodePool': { method: 'POST', path: POOLS, body: NODE_POOL },
    'replace a NodePool': { method: 'PUT', path: POOL, body: NODE_POOL },
    'delete an AKSNodeClass': { method: 'DELETE', path: CLASS },
    'delete a NodePool': { method: 'DELETE', path: POOL },
    'delete all NodeClaims': { method: 'DELETE', path: '/apis/karpenter.sh/v1/nodeclaims' },
    'widen its own role': {
      method: 'PATCH',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterroles/joiner-app',
      body: { rules: [] },
      contentType: MERGE,
    },
    'take a policy away': {
      method: 'DELETE',
      path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/joiner-app-secrets',
    },
    'approve a certificate': {
      method: 'PUT',
      path: '/apis/certificates.k8s.io/v1/certificatesigningrequests/any/approval',
      body: { metadata: { name: 'any' } },
    },
    'take the token of a service account': {
      method: 'POST',
      path: '/api/v1/namespaces/joiner/serviceaccounts/joiner-shim/token',
      body: { spec: {} },
    },
  }
  for (const [sentence, call] of Object.entries(role)) {
    it(`may not ${sentence}, which its role does not give`, async () => {
      expect(await app(call)).toMatchObject({ code: 403, message: expect.stringContaining(`User "${APP_OBJECT_ID}" cannot`) })
    })
  }

  it("is refused, and leaves no trace, as another cluster's identity", async () => {
    const other = cluster.as('ffffffff-52c4-4b0d-9a37-6d1f2e3c4b5a')
    for (const path of ['/apis/karpenter.sh/v1/nodeclaims', NODES, SECRETS]) {
      expect(await other({ method: 'GET', path })).toMatchObject({ code: 403 })
      expect(await other({ method: 'POST', path, body: token('abcdef') })).toMatchObject({ code: 403 })
    }
    expect(await cluster.admin({ method: 'GET', path: `${SECRETS}/bootstrap-token-abcdef` })).toMatchObject({ code: 404 })
  })

  function join(shown: string) {
    const bootstrap = { url: cluster.plane.url, ca: cluster.plane.caCertificate, credential: { kind: 'token', token: shown } } as const
    return obtainCredential({ flow: 'signingRequest', bootstrap, nodeName: 'joiner-default-bbbbb', patienceMs: 30_000, signal: SIGNAL })
  }
})

function ofPool(body: object): Forbidden {
  return {
    call: { method: 'PATCH', path: POOL, body, contentType: MERGE },
    want: 'only the annotations karpenter.sh/nodepool-hash and karpenter.sh/nodepool-hash-version of NodePools',
  }
}

function ofClass(body: object): Forbidden {
  return {
    call: { method: 'PATCH', path: CLASS, body, contentType: MERGE },
    want: 'only the finalizer karpenter.azure.com/termination of AKSNodeClasses',
  }
}

type Forbidden = { readonly call: Parameters<Caller>[0]; readonly want: string }
