// Runs a container of a pod as a process of this machine: by the pod's spec, with the additions of the kubelet and the workload identity webhook.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeClient } from '../../../local/cluster/client/kubeClient.ts'
import type { Pod } from '../../../local/cluster/client/objects.ts'
import { required } from './systemNodes.ts'

export type PodSurroundings = {
  readonly client: KubeClient
  readonly tenantId: string
  /** The address and CA of the API server, as pods reach it. */
  readonly kubernetes: { readonly host: string; readonly port: number; readonly ca: string }
  /** The folder for the pod's files that a container would have mounted. */
  readonly folder: string
}

export type PodProcess = {
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string }
  /** Names of the variables that differ from the pod's, because there is no container. */
  readonly overrides: readonly string[]
}

const IDENTITY_AUDIENCE = 'api://AzureADTokenExchange'
const TOKEN_SECONDS = 3600

type Account = { readonly metadata: { readonly annotations?: { readonly [name: string]: string } } }

export async function podProcess(pod: Pod, deploymentContext: PodSurroundings): Promise<PodProcess> {
  const { client, kubernetes, folder } = deploymentContext
  const [container] = pod.spec.containers
  if (container === undefined) throw new Error(`pod ${pod.metadata.name} has no container`)
  const account = pod.spec.serviceAccountName ?? 'default'
  const { namespace = 'default' } = pod.metadata
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}`
  const env: Record<string, string> = Object.fromEntries(
    (container.env ?? []).map(({ name, value, valueFrom }) => [name, value ?? fieldOf(pod, valueFrom?.fieldRef?.fieldPath)]),
  )
  env['KUBERNETES_SERVICE_HOST'] = kubernetes.host
  env['KUBERNETES_SERVICE_PORT'] = String(kubernetes.port)
  mkdirSync(folder, { recursive: true })
  const overrides = ['HTTP_PORT']
  env['HTTP_PORT'] = '0'
  const bound = { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid }
  const token = async (audiences: readonly string[]): Promise<string> => {
    const spec = { audiences, expirationSeconds: TOKEN_SECONDS, boundObjectRef: bound }
    const made = await required<{ readonly status: { readonly token: string } }>(client, 'POST', `${path}/token`, { spec })
    return made.status.token
  }
  if (pod.spec.automountServiceAccountToken !== false) {
    writeFileSync(join(folder, 'token'), await token([]))
    writeFileSync(join(folder, 'ca.crt'), kubernetes.ca)
    env['SERVICE_ACCOUNT_DIR'] = folder
    overrides.push('SERVICE_ACCOUNT_DIR')
  }
  overrides.push(...(await mountTokens(pod, env, folder, token)))
  if (pod.metadata.labels?.['azure.workload.identity/use'] === 'true') {
    const annotations = (await required<Account>(client, 'GET', path)).metadata.annotations ?? {}
    writeFileSync(join(folder, 'azure-identity-token'), await token([IDENTITY_AUDIENCE]))
    Object.assign(env, {
      AZURE_CLIENT_ID: annotations['azure.workload.identity/client-id'] ?? '',
      AZURE_TENANT_ID: annotations['azure.workload.identity/tenant-id'] ?? deploymentContext.tenantId,
      AZURE_AUTHORITY_HOST: 'https://login.microsoftonline.com/',
      AZURE_FEDERATED_TOKEN_FILE: join(folder, 'azure-identity-token'),
    })
    overrides.push('AZURE_FEDERATED_TOKEN_FILE')
  }
  return { args: container.args ?? [], env, overrides }
}

type GetToken = (audiences: readonly string[]) => Promise<string>

/**
 * Writes projected tokens of the service account into a folder here, and corrects the variables that name their path. Returns the names of these
 * variables.
 */
async function mountTokens(pod: Pod, env: Record<string, string>, folder: string, token: GetToken): Promise<readonly string[]> {
  const changed: string[] = []
  for (const { name, mountPath } of pod.spec.containers[0]?.volumeMounts ?? []) {
    const here = join(folder, 'volumes', name)
    await projectTokens(pod, name, here, token)
    for (const [variable, value] of Object.entries(env)) {
      if (!value.startsWith(`${mountPath}/`)) continue
      env[variable] = `${here}${value.slice(mountPath.length)}`
      changed.push(variable)
    }
  }
  return changed
}

async function projectTokens({ spec }: Pod, volume: string, folder: string, token: GetToken): Promise<void> {
  const sources = spec.volumes?.find(({ name }) => name === volume)?.projected?.sources ?? []
  for (const { serviceAccountToken } of sources) {
    if (serviceAccountToken === undefined) continue
    mkdirSync(folder, { recursive: true })
    const { audience, path } = serviceAccountToken
    writeFileSync(join(folder, path), await token(audience === undefined ? [] : [audience]))
  }
}

function fieldOf(pod: Pod, path: string | undefined): string {
  if (path === 'metadata.name') return pod.metadata.name
  if (path === 'metadata.namespace') return pod.metadata.namespace ?? ''
  if (path === 'spec.nodeName') return pod.spec.nodeName ?? ''
  throw new Error(`pod ${pod.metadata.name}: a variable from ${path} is not known here`)
}
