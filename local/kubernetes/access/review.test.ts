import { describe, expect, it } from 'vitest'
import { type TestServer, withServer } from '../testing/withServer.ts'

const ACCESS = '/apis/authorization.k8s.io/v1'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const JOE = { token: 'joe', user: 'joe', groups: ['team'] }
const wish = (verb: string, resource: string) => ({ spec: { resourceAttributes: { namespace: 'default', verb, resource } } })

/** A server with RBAC in which Joe may list pods in the default namespace. */
async function withJoe(test: (server: TestServer) => Promise<void>): Promise<void> {
  await withServer({ authorization: 'rbac', tokens: [JOE] }, async (server) => {
    await server.call('POST', `${RBAC}/namespaces/default/roles`, {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
    })
    await server.call('POST', `${RBAC}/namespaces/default/rolebindings`, {
      metadata: { name: 'joe' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'joe' }],
    })
    await test(server)
  })
}

describe('a review', () => {
  it('tells everyone what they may, and nobody stores it', async () => {
    await withJoe(async ({ callAs, call }) => {
      const ask = (token: string, verb: string) => callAs(token, 'POST', `${ACCESS}/selfsubjectaccessreviews`, wish(verb, 'pods'))
      expect(await ask('joe', 'list')).toMatchObject({ code: 201, body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } } })
      expect((await ask('joe', 'delete')).body).toMatchObject({ status: { allowed: false } })
      expect((await ask('', 'list')).code).toBe(403)
      expect((await call('GET', `${ACCESS}/selfsubjectaccessreviews`)).code).toBe(405)
      expect((await call('POST', `${ACCESS}/selfsubjectaccessreviews`, { spec: {} })).code).toBe(422)
    })
  })

  it('asks for others only when allowed to', async () => {
    await withJoe(async ({ callAs, call }) => {
      const body = { spec: { user: 'joe', resourceAttributes: { namespace: 'default', verb: 'list', resource: 'pods' } } }
      expect((await call('POST', `${ACCESS}/subjectaccessreviews`, body)).body).toMatchObject({ status: { allowed: true } })
      expect((await callAs('joe', 'POST', `${ACCESS}/subjectaccessreviews`, body)).code).toBe(403)
      expect((await call('POST', `${ACCESS}/subjectaccessreviews`, { spec: { ...body.spec, user: '' } })).code).toBe(422)
    })
  })

  it('lists rules and names who asks', async () => {
    await withJoe(async ({ callAs }) => {
      const rules = await callAs('joe', 'POST', `${ACCESS}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } })
      expect(rules.body).toMatchObject({ status: { resourceRules: [{ resources: ['pods'], verbs: ['list'] }], incomplete: false } })
      const self = await callAs('joe', 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
      expect(self.body).toMatchObject({ status: { userInfo: { username: 'joe', groups: ['team', 'system:authenticated'] } } })
    })
  })
})

describe('impersonation', () => {
  const headers = { 'impersonate-user': 'joe', 'impersonate-group': 'a, b' }

  it('acts as the one named, when the sender may', async () => {
    await withJoe(async ({ call, callAs }) => {
      expect((await call('GET', '/api/v1/namespaces/default/pods', undefined, { headers })).code).toBe(200)
      expect((await call('GET', '/api/v1/pods', undefined, { headers })).body).toMatchObject({
        code: 403,
        message: 'pods is forbidden: User "joe" cannot list resource "pods" in API group "" at the cluster scope',
      })
      expect((await callAs('joe', 'GET', '/api/v1/namespaces/default/pods', undefined, { headers })).body).toMatchObject({
        code: 403,
        message: 'users "joe" is forbidden: User "joe" cannot impersonate resource "users" in API group "" at the cluster scope',
      })
    })
  })
})

describe('a path that is no resource', () => {
  const PATHS: { readonly [path: string]: boolean } = {
    '/metrics': true,
    '/metrics/cadvisor': false,
    '/logs/': true,
    '/logs/kubelet': true,
    '/logs': false,
    '/debug': false,
    // Authenticated users may use discovery.
    '/version': true,
    '/openapi/v3/apis/apps/v1': true,
    '/versions': false,
  }

  it('is open to whom a role names it, by its whole or by its beginning', async () => {
    await withServer({ authorization: 'rbac', tokens: [JOE] }, async ({ call, callAs }) => {
      const rules = [{ nonResourceURLs: ['/metrics', '/logs/*'], verbs: ['get'] }]
      await call('POST', `${RBAC}/clusterroles`, { metadata: { name: 'paths' }, rules })
      await call('POST', `${RBAC}/clusterrolebindings`, {
        metadata: { name: 'joe' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'paths' },
        subjects: [{ kind: 'Group', name: 'team' }],
      })
      const ask = async (path: string, verb: string): Promise<unknown> => {
        const body = { spec: { nonResourceAttributes: { path, verb } } }
        const answer = await callAs('joe', 'POST', `${ACCESS}/selfsubjectaccessreviews`, body)
        return (answer.body as { status: { allowed: boolean } }).status.allowed
      }
      const allowed = await Promise.all(Object.keys(PATHS).map(async (path) => [path, await ask(path, 'get')]))
      expect(Object.fromEntries(allowed)).toEqual(PATHS)
      expect(await ask('/metrics', 'post')).toBe(false)
      expect((await callAs('joe', 'GET', '/metrics')).code).not.toBe(403)
    })
  })
})
