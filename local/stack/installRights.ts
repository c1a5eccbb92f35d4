import { join } from 'node:path'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'
import { runHelm } from '../helm/runHelm.ts'
import { type Manifest, objectPath, parseManifests } from '../manifests.ts'
import { APP_IDENTITY, LOCAL_CLUSTER, SHIM_IDENTITY } from './identities.ts'

/** Release and namespace as in the README. The names of the chart's objects follow from them. */
export const RELEASE = 'joiner'
export const SHIM_ACCOUNT = `${RELEASE}-shim`

const CHART = join(import.meta.dirname, '..', '..', 'charts', 'joiner')
/** The kinds that hold permissions. The workloads of the chart are processes of the stack instead. */
const KINDS: ReadonlySet<string> = new Set([
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
])
const NAMESPACE: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: RELEASE } }

/** The values that an installation needs. Addresses only go into the workloads of the chart. */
export const STACK_VALUES = {
  cluster: LOCAL_CLUSTER,
  endpoint: 'https://127.0.0.1',
  app: { objectId: APP_IDENTITY.objectId },
  identity: { clientId: SHIM_IDENTITY.clientId },
  spot: { topicEndpoint: 'https://127.0.0.1' },
}

const RBAC = 'rbac.authorization.k8s.io'

/** The API server stands in for the public issuer address of AKS. A service that checks a token there shows no token of its own. */
const ISSUER_READERS = roleForGroup('local:public-issuer', 'system:service-account-issuer-discovery', 'system:unauthenticated')

/** Kinds that the embedded API server does not serve. */
const NOT_EMBEDDED: ReadonlySet<string> = new Set(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'])

/** The node authorizer of a real API server is not embedded. Kubelets get this role instead. */
const KUBELET_ROLE = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name: 'local:kubelet' },
  rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
}
const KUBELETS = roleForGroup(KUBELET_ROLE.metadata.name, KUBELET_ROLE.metadata.name, 'system:nodes')

function roleForGroup(name: string, role: string, group: string) {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: group }],
  }
}

/**
 * Gives the stack's identities the permissions of the chart and nothing more: service accounts, roles, bindings and admission policies, as Helm
 * renders them. It also lets everybody read the keys of the issuer. Objects of an earlier stack are updated.
 */
export async function installRights(client: KubeClient, helm: string, signal: AbortSignal): Promise<void> {
  await apply(client, [NAMESPACE, ISSUER_READERS, ...(await rightsOfChart(helm))], signal)
}

/** Does the same on the embedded API server, which has no admission policies and no authorizer of nodes. */
export async function installEmbeddedRights(client: KubeClient, helm: string, signal: AbortSignal): Promise<void> {
  const rights = (await rightsOfChart(helm)).filter(({ kind }) => !NOT_EMBEDDED.has(kind))
  await apply(client, [NAMESPACE, ISSUER_READERS, KUBELET_ROLE, KUBELETS, ...rights], signal)
}

/** Removes the permissions of the chart, as `helm uninstall` does. The namespace stays. */
export async function removeRights(client: KubeClient, helm: string, signal: AbortSignal): Promise<void> {
  for (const manifest of (await rightsOfChart(helm)).toReversed()) {
    const removed = await client.send({ method: 'DELETE', path: objectPath(manifest), signal })
    if (!removed.ok && removed.error.code !== 404)
      throw refused(`${manifest.kind} ${manifest.metadata.name} stays: ${removed.error.message}`)
  }
}

async function apply(client: KubeClient, manifests: readonly Manifest[], signal: AbortSignal): Promise<void> {
  for (const manifest of manifests) {
    const query = { fieldManager: 'joiner-stack', force: 'true' }
    const path = objectPath(manifest)
    const applied = await client.send({ method: 'PATCH', path, query, body: manifest, contentType: 'application/apply-patch+yaml', signal })
    if (!applied.ok) throw refused(`${manifest.kind} ${manifest.metadata.name} was refused: ${applied.error.message}`)
  }
}

async function rightsOfChart(helm: string): Promise<readonly Manifest[]> {
  const rendered = await runHelm(helm, ['template', RELEASE, CHART, '--namespace', RELEASE], STACK_VALUES)
  if (rendered.code !== 0) throw refused(`Helm cannot render ${CHART}: ${rendered.errors.trim()}`)
  return parseManifests(rendered.out).filter(({ kind }) => KINDS.has(kind))
}

function refused(message: string): Fault {
  return new Fault('give the rights of the chart', problem('SETTING.INVALID', message))
}
