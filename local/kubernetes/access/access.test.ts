import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { pod } from '../testing/samples.ts'
import { type TestServer, withServer } from '../testing/withServer.ts'

const TOKEN = 'abcdef.0123456789abcdef'

async function withToken(more: Record<string, string>, test: (server: TestServer) => Promise<void>): Promise<void> {
  await withServer({}, async (server) => {
    const stringData = {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:joiner,system:bootstrappers:joiner:joiner-default-x1y2z',
      expiration: '2999-01-01T00:00:00Z',
      description: 'bootstrap token of NodeClaim default-x1y2z',
      ...more,
    }
    await server.call('POST', '/api/v1/namespaces/kube-system/secrets', {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      stringData,
    })
    await test(server)
  })
}

const node = (name: string) => ({ metadata: { name } })

describe('a bootstrap token', () => {
  it('opens its own node and nothing else', async () => {
    await withToken({}, async ({ call, callAs }) => {
      expect((await callAs(TOKEN, 'POST', '/api/v1/nodes', node('joiner-default-x1y2z'))).code).toBe(201)
      expect((await callAs(TOKEN, 'POST', '/api/v1/nodes', node('joiner-default-other'))).code).toBe(403)
      expect((await callAs(TOKEN, 'PATCH', '/api/v1/nodes/joiner-default-x1y2z/status', { status: { phase: 'x' } })).code).toBe(200)
      const lease = { metadata: { name: 'joiner-default-x1y2z' }, spec: { holderIdentity: 'x' } }
      expect((await callAs(TOKEN, 'POST', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', lease)).code).toBe(201)
      expect((await callAs(TOKEN, 'GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Djoiner-default-x1y2z')).code).toBe(200)
      expect((await callAs(TOKEN, 'GET', '/api/v1/pods')).code).toBe(403)
      await call('POST', '/api/v1/namespaces/default/pods', pod('theirs', { nodeName: 'joiner-default-other' }))
      expect((await callAs(TOKEN, 'PATCH', '/api/v1/namespaces/default/pods/theirs/status', { status: {} })).code).toBe(403)
      await call('POST', '/api/v1/namespaces/default/pods', pod('ours', { nodeName: 'joiner-default-x1y2z' }))
      const onPods = async (method: string, path: string, body?: object): Promise<number> =>
        (await callAs(TOKEN, method, `/api/v1/namespaces/default/pods/${path}`, body)).code
      expect(await onPods('GET', 'ours')).toBe(200)
      expect(await onPods('GET', 'theirs')).toBe(403)
      expect(await onPods('PATCH', 'ours/status', { status: { phase: 'Running' } })).toBe(200)
      expect(await onPods('PATCH', 'ours', { metadata: { labels: { a: 'b' } } })).toBe(403)
      expect(await onPods('DELETE', 'theirs')).toBe(403)
      expect(await onPods('DELETE', 'ours')).toBe(200)
      expect((await callAs(TOKEN, 'GET', '/api/v1/secrets')).body).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        message: 'secrets is forbidden: User "system:bootstrap:abcdef" cannot list resource "secrets" in API group "" at the cluster scope',
      })
    })
  })

  const DEAD = {
    'has expired': { expiration: '2001-01-01T00:00:00Z' },
    'is not for authentication': { 'usage-bootstrap-authentication': 'false' },
    'has another secret': { 'token-secret': 'ffffffffffffffff' },
  }
  for (const [name, change] of Object.entries(DEAD)) {
    it(`opens nothing when it ${name}`, async () => {
      await withToken(change, async ({ callAs }) => {
        expect((await callAs(TOKEN, 'GET', '/api/v1/nodes')).code).toBe(401)
      })
    })
  }
})

describe('a token of the identity provider', () => {
  it('names its user by object id, and counts only when everything about it is right', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    const oidc = {
      issuer: 'https://issuer',
      audience: 'cluster',
      keys: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }] },
    }
    const sign = (audience: string, expires: string) =>
      new SignJWT({ oid: 'object-1' })
        .setProtectedHeader({ alg: 'RS256', kid: 'k' })
        .setIssuer('https://issuer')
        .setAudience(audience)
        .setExpirationTime(expires)
        .sign(privateKey)
    await withServer({ oidc, authorization: 'rbac' }, async ({ call, callAs }) => {
      const good = await sign('cluster', '1h')
      const refused = await callAs(good, 'GET', '/api/v1/namespaces/default/pods')
      expect(refused.body).toMatchObject({
        code: 403,
        message: 'pods is forbidden: User "object-1" cannot list resource "pods" in API group "" in the namespace "default"',
      })
      const rbac = '/apis/rbac.authorization.k8s.io/v1'
      await call('POST', `${rbac}/clusterroles`, {
        metadata: { name: 'reader' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
      })
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' }
      await call('POST', `${rbac}/namespaces/default/rolebindings`, {
        metadata: { name: 'b' },
        roleRef,
        subjects: [{ kind: 'User', name: 'object-1' }],
      })
      expect((await callAs(good, 'GET', '/api/v1/namespaces/default/pods')).code).toBe(200)
      expect((await callAs(good, 'GET', '/api/v1/pods')).code).toBe(403)
      expect((await callAs(await sign('other', '1h'), 'GET', '/api/v1/pods')).code).toBe(401)
      expect((await callAs(await sign('cluster', '-1h'), 'GET', '/api/v1/pods')).code).toBe(401)
    })
  })
})

describe('a rule with resource names', () => {
  it('lets those be read and no others, and lists nothing', async () => {
    await withServer({ authorization: 'rbac', tokens: [{ token: 'reader', user: 'reader', groups: [] }] }, async ({ call, callAs }) => {
      const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
      const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['ours'], verbs: ['get', 'list', 'delete'] }
      await call('POST', `${rbac}/roles`, { metadata: { name: 'one' }, rules: [rule] })
      const subjects = [{ kind: 'User', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' }]
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'one' }
      await call('POST', `${rbac}/rolebindings`, { metadata: { name: 'one' }, subjects, roleRef })
      const maps = '/api/v1/namespaces/default/configmaps'
      for (const name of ['ours', 'theirs']) await call('POST', maps, { metadata: { name } })
      const codes = await Promise.all(
        [`GET ${maps}/ours`, `GET ${maps}/theirs`, `GET ${maps}`, `DELETE ${maps}/theirs`].map(async (text) => {
          const [method = '', path = ''] = text.split(' ')
          return (await callAs('reader', method, path)).code
        }),
      )
      expect(codes).toEqual([200, 403, 403, 403])
    })
  })
})
