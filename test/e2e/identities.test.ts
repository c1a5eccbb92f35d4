import { BlobServiceClient } from '@azure/storage-blob'
import { expect, it } from 'vitest'
import { connectionFrom } from '../../local/cluster/client/connection.ts'
import { createKubeClient, type KubeClient } from '../../local/cluster/client/kubeClient.ts'
import { APP_AUDIENCE, KUBE_AUDIENCE, LOCAL_CLUSTER, SHIM_AUDIENCE } from '../../local/stack/identities.ts'
import { CLAIM_PATH, CLASS_PATH, POOL_PATH } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { onRealCluster } from './onCluster.ts'
import { PATIENCE_MS } from './until.ts'

onRealCluster('the identities of another cluster', scenarios)

/** Identities of the same tenant that have rights in a cluster of their own. */
const ITS_APP = { oid: '00000000-0000-4000-8000-00000000b004', appid: '00000000-0000-4000-8000-00000000b003' }
const ITS_SHIM = { oid: '00000000-0000-4000-8000-00000000b006', appid: '00000000-0000-4000-8000-00000000b005' }
const SECRETS = '/api/v1/namespaces/kube-system/secrets'

function scenarios(environment: () => Environment): void {
  it('are refused by the API server, whatever they ask for, and leave no trace', async () => {
    const token = await environment().stack.azure.issueToken({ ...ITS_APP, audience: KUBE_AUDIENCE })
    const { url, caCertificate: ca } = environment().stack.kubernetes
    const stranger = createKubeClient(connectionFrom({ url, ca, token }))
    try {
      const before = await seen(environment().stack.client)
      for (const path of PATHS) {
        expect(await codeOf(stranger, 'GET', path)).toBe(403)
        expect(await codeOf(stranger, 'POST', path, { metadata: { name: 'stranger' } })).toBe(403)
        expect(await codeOf(stranger, 'DELETE', path)).toBe(403)
      }
      expect(await codeOf(stranger, 'PATCH', `${POOL_PATH}/default`, { spec: { weight: 1 } })).toBe(403)
      expect(await codeOf(stranger, 'PATCH', `${POOL_PATH}/default/status`, { status: { nodes: 9 } })).toBe(403)
      expect(await seen(environment().stack.client)).toEqual(before)
    } finally {
      stranger.close()
    }
  })

  it('are refused by the app, and leave no trace', async () => {
    const ofTenant = await environment().stack.azure.issueToken({ ...ITS_SHIM, audience: APP_AUDIENCE })
    const ofAccount = await tokenOfAccount(environment())
    const { url, keys } = await environment().stack.functions.ready()
    const headersWith = (token: string) => ({
      'x-functions-key': keys.host,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    })
    for (const cluster of [LOCAL_CLUSTER, 'other']) {
      const headers = headersWith(ofTenant)
      const posted = await fetch(`${url}/api/clusters/${cluster}/events`, { method: 'POST', headers, body: '{}' })
      const asked = await fetch(`${url}/api/clusters/${cluster}/status`, { headers })
      // A token of the tenant may not post. This identity is not a reader either.
      expect([posted.status, asked.status]).toEqual([401, 403])
      const byAccount = await fetch(`${url}/api/clusters/${cluster}/events`, {
        method: 'POST',
        headers: headersWith(ofAccount),
        body: '{}',
      })
      const askedByAccount = await fetch(`${url}/api/clusters/${cluster}/status`, { headers: headersWith(ofAccount) })
      // This account is neither the shim nor a reader.
      expect([byAccount.status, askedByAccount.status]).toEqual([403, 403])
    }
    const container = BlobServiceClient.fromConnectionString(environment().stack.storage.connectionString).getContainerClient('joiner')
    const found: string[] = []
    for await (const { name } of container.listBlobsFlat({ prefix: 'clusters/' })) found.push(name)
    expect(found.filter((name) => !name.startsWith(`clusters/${LOCAL_CLUSTER}/`))).toEqual([])
  })
}

/** A token for the app, of a service account that is not the shim's. */
async function tokenOfAccount(environment: Environment): Promise<string> {
  const made = await environment.send({
    method: 'POST',
    path: '/api/v1/namespaces/joiner/serviceaccounts/default/token',
    body: { spec: { audiences: [SHIM_AUDIENCE] } },
  })
  return (made as { readonly status: { readonly token: string } }).status.token
}

const PATHS = [
  CLAIM_PATH,
  POOL_PATH,
  CLASS_PATH,
  SECRETS,
  '/api/v1/nodes',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/events',
]

async function codeOf(client: KubeClient, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<number> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const answer = await client.send({ method, path, ...(body === undefined ? {} : { body, contentType }), signal })
  return answer.ok ? 200 : answer.error.code
}

/** All objects at the paths, except events: other tests look at these. */
async function seen(client: KubeClient): Promise<readonly string[]> {
  type List = { readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[] }
  const lists = await Promise.all(
    PATHS.slice(0, -1).map((path) => client.send<List>({ method: 'GET', path, signal: AbortSignal.timeout(PATIENCE_MS) })),
  )
  return lists.flatMap((list) =>
    list.ok ? list.value.items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`) : ['nothing was listed'],
  )
}
