import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Credential, connectionFrom } from '../cluster/client/connection.ts'
import { createKubeClient, type KubeClient } from '../cluster/client/kubeClient.ts'
import { obtainCredential } from '../kubelet/obtainCredential.ts'
import { type Binaries, CACHE, findBinaries, isBuilt } from './binaries.ts'
import { type ControlPlane, startControlPlane } from './startControlPlane.ts'

const assets = process.env['KUBEBUILDER_ASSETS']
const LIMIT_MS = 5 * 60_000
const signal = AbortSignal.timeout(LIMIT_MS)
/** A build takes minutes, too long for a test. `npm run controlplane -- --build-only` does it. */
const atHand = isBuilt({ assets, cache: CACHE })

async function withPlane(test: (plane: ControlPlane, client: KubeClient) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'joiner-controlplane-'))
  const plane = await startControlPlane({ binaries: await programs(), folder: join(root, 'plane') })
  const client = createKubeClient(connectionFrom({ kubeconfig: plane.kubeconfigFile }))
  try {
    await test(plane, client)
  } finally {
    client.close()
    await plane.close()
    rmSync(root, { recursive: true, force: true })
  }
}

function programs(): Promise<Binaries> {
  return findBinaries({ assets, cache: CACHE, say: (line) => console.log(line) })
}

describe.skipIf(!atHand)(
  `a real control plane${atHand ? '' : ' (skipped: not built; npm run controlplane -- --build-only)'}`,
  { timeout: LIMIT_MS },
  () => {
    it('takes objects, runs controllers, and leaves nothing', async () => {
      let folder = ''
      await withPlane(async (plane, client) => {
        folder = join(plane.kubeconfigFile, '..')
        await makeDeployment(client)
        await eventually(async () => (await podsOf(client)).length === 2)
      })
      expect(existsSync(folder)).toBe(false)
    })

    it('stands beside another one', async () => {
      await withPlane(async (first, client) => {
        await withPlane(async (second, other) => {
          expect(second.url).not.toBe(first.url)
          await makeDeployment(client)
          expect(await deploymentsOf(client)).toEqual(['web'])
          expect(await deploymentsOf(other)).toEqual([])
        })
      })
    })

    it('has an API server that comes back with what it knew', async () => {
      await withPlane(async (plane, client) => {
        await makeDeployment(client)
        await plane.restartApiServer()
        await eventually(async () => (await deploymentsOf(client)).includes('web'))
      })
    })

    it('has controllers after a restart of the API server, though one of them ended', async () => {
      await withPlane(async (plane, client) => {
        const folder = join(plane.kubeconfigFile, '..')
        const restarted = plane.restartApiServer()
        execFileSync('pkill', ['-KILL', '-f', `kube-controller-manager.*${folder}`])
        await restarted
        await makeDeployment(client)
        await eventually(async () => (await podsOf(client)).length === 2)
      })
    })

    it('signs the certificate of a node that shows a bootstrap token', async () => {
      await withPlane(async (plane, client) => {
        await client.send({ method: 'POST', path: '/api/v1/namespaces/kube-system/secrets', body: BOOTSTRAP_SECRET, signal })
        for (const binding of BOOTSTRAP_BINDINGS)
          await client.send({ method: 'POST', path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', body: binding, signal })
        const credential = await signedFor(plane, 'joiner-one')
        const node = createKubeClient({ url: plane.url, ca: plane.caCertificate, credential })
        const make = (name: string) => node.send({ method: 'POST', path: '/api/v1/nodes', body: { metadata: { name } }, signal })
        expect(await make('joiner-one')).toMatchObject({ ok: true })
        expect(await make('joiner-two')).toMatchObject({ ok: false, error: { code: 403 } })
        node.close()
      })
    })
  },
)

const WEB = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'pause' }] } },
  },
}
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'

async function makeDeployment(client: KubeClient): Promise<void> {
  // The API server creates the namespace a moment after it is ready.
  await eventually(async () => (await client.send({ method: 'POST', path: DEPLOYMENTS, body: WEB, signal })).ok)
}

async function namesAt(client: KubeClient, path: string): Promise<readonly string[]> {
  const answer = await client.send<{ readonly items: readonly { readonly metadata: { readonly name: string } }[] }>({
    method: 'GET',
    path,
    signal,
  })
  return answer.ok ? answer.value.items.map((item) => item.metadata.name) : []
}

const deploymentsOf = (client: KubeClient): Promise<readonly string[]> => namesAt(client, DEPLOYMENTS)
const podsOf = (client: KubeClient): Promise<readonly string[]> => namesAt(client, '/api/v1/namespaces/default/pods')

const GROUP = 'system:bootstrappers:joiner'
const BOOTSTRAP_SECRET = {
  metadata: { name: 'bootstrap-token-abc123' },
  type: 'bootstrap.kubernetes.io/token',
  stringData: {
    'token-id': 'abc123',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': GROUP,
  },
}
const BOOTSTRAP_BINDINGS = ['system:node-bootstrapper', 'system:certificates.k8s.io:certificatesigningrequests:nodeclient'].map(
  (role, index) => ({
    metadata: { name: `joiner-bootstrap-${index}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: GROUP }],
  }),
)

async function signedFor(plane: ControlPlane, nodeName: string): Promise<Credential> {
  const credential = { kind: 'token', token: 'abc123.0123456789abcdef' } as const
  const bootstrap = { url: plane.url, ca: plane.caCertificate, credential }
  for (;;) {
    const issued = await obtainCredential({ flow: 'signingRequest', bootstrap, nodeName, patienceMs: 30_000, signal })
    if (issued.ok) return issued.value
    // New permissions take a moment to reach the authorizer.
    if (issued.error.code !== 403) throw new Error(issued.error.message)
    await sleep(100)
  }
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    signal.throwIfAborted()
    await sleep(100)
  }
}
