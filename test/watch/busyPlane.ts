import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { KubeConnection } from '../../local/cluster/client/connection.ts'
import { createKubeClient, type KubeClient } from '../../local/cluster/client/kubeClient.ts'
import { CACHE, findBinaries, isBuilt } from '../../local/controlplane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../../local/controlplane/startControlPlane.ts'
import { applyManifests } from '../../local/stack/applyManifests.ts'
import { createOwnedParts } from '../../local/stack/ownedParts.ts'
import { repositoryRoot } from '../../scripts/floors.ts'

const places = { assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }
export const CAN_START = isBuilt(places)

const CRDS = join(repositoryRoot, 'charts/joiner-crd/templates')
const NAMESPACE = 'joiner'
const ACCOUNT = 'joiner-shim'

/** A real etcd and API server without controllers. They hold only what their clients wrote, so a list at rest is what a watcher must arrive at. */
export interface BusyPlane {
  readonly plane: ControlPlane
  /** The connection of the administrator. */
  readonly connection: KubeConnection
  readonly client: KubeClient
  /** The newest revision of the store. */
  revision(): Promise<number>
  /** Makes etcd forget every version before its newest. Returns that revision. */
  compact(): Promise<number>
  /** The folder of a service account as a kubelet mounts it, for a shim that connects as in a pod. */
  shimAccount(): Promise<string>
  close(): Promise<void>
}

export async function startBusyPlane(namespaces: readonly string[], signal: AbortSignal): Promise<BusyPlane> {
  const parts = createOwnedParts()
  try {
    const root = mkdtempSync(join(tmpdir(), 'joiner-watch-'))
    await parts.own(() => rmSync(root, { recursive: true, force: true }))
    const binaries = await findBinaries({ ...places, say: console.log })
    const plane = await startControlPlane({ binaries, folder: join(root, 'plane'), withoutControllers: true })
    await parts.own(plane.close)
    const connection = adminConnection(plane)
    const client = createKubeClient(connection)
    await parts.own(client.close)
    const make = makerOf(client, signal)
    await furnish(client, make, namespaces, signal)
    return {
      plane,
      connection,
      client,
      revision: () => revisionOf(plane.etcdUrl),
      async compact() {
        const revision = await revisionOf(plane.etcdUrl)
        await etcd(plane.etcdUrl, 'compaction', { revision: String(revision), physical: true })
        return revision
      },
      shimAccount: () => shimAccount(make, plane, join(root, 'account')),
      close: parts.close,
    }
  } catch (cause) {
    await parts.close()
    throw cause
  }
}

type Make = (path: string, body: object) => Promise<unknown>

function makerOf(client: KubeClient, signal: AbortSignal): Make {
  return async (path, body) => {
    const answer = await client.send({ method: 'POST', path, body, signal })
    if (!answer.ok && answer.error.code !== 409) throw new Error(`make ${path}: ${answer.error.message}`)
    return answer.ok ? answer.value : undefined
  }
}

async function furnish(client: KubeClient, make: Make, namespaces: readonly string[], signal: AbortSignal): Promise<void> {
  for (const file of readdirSync(CRDS)) await applyManifests(client, join(CRDS, file), signal)
  for (const name of [NAMESPACE, ...namespaces]) {
    await make('/api/v1/namespaces', { metadata: { name } })
    // The API server requires this account for pods, and no controller makes it.
    await make(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } })
  }
}

async function shimAccount(make: Make, plane: ControlPlane, folder: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`
  await make(accounts, { metadata: { name: ACCOUNT } })
  await make('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', BINDING)
  const answer = (await make(`${accounts}/${ACCOUNT}/token`, { spec: {} })) as { readonly status: { readonly token: string } }
  mkdirSync(folder)
  writeFileSync(join(folder, 'token'), answer.status.token)
  writeFileSync(join(folder, 'ca.crt'), plane.caCertificate)
  return folder
}

const BINDING = {
  metadata: { name: ACCOUNT },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: NAMESPACE }],
}

type Kubeconfig = { readonly users: readonly [{ readonly user: { readonly [name: string]: string } }] }

/** The administrator's connection by certificate. A kubeconfig would be read for each request, which slows down thousands of requests. */
function adminConnection({ url, caCertificate, kubeconfigFile }: ControlPlane): KubeConnection {
  const { user } = (parse(readFileSync(kubeconfigFile, 'utf8')) as Kubeconfig).users[0]
  const decoded = (name: string): string => Buffer.from(user[name] ?? '', 'base64').toString('utf8')
  return {
    url,
    ca: caCertificate,
    credential: { kind: 'certificate', certificate: decoded('client-certificate-data'), key: decoded('client-key-data') },
  }
}

async function revisionOf(url: string): Promise<number> {
  const { header } = await etcd(url, 'range', { key: Buffer.from('/').toString('base64'), count_only: true })
  return Number(header.revision)
}

async function etcd(url: string, call: string, body: object): Promise<{ readonly header: { readonly revision: string } }> {
  const answer = await fetch(`${url}/v3/kv/${call}`, { method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`etcd ${call}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { readonly header: { readonly revision: string } }
}
