import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectionFrom } from '../cluster/client/connection.ts'
import { createKubeClient } from '../cluster/client/kubeClient.ts'
import { CONTROLLER_NAMES } from '../cluster/startControllers.ts'
import { tokenIssuer } from '../kubelet/tokenIssuer.ts'
import { startKubernetes } from '../kubernetes/startKubernetes.ts'
import type { ClusterSurroundings, StackCluster } from './cluster.ts'
import { fetchKeys } from './fetchKeys.ts'
import { KUBE_AUDIENCE } from './identities.ts'
import { installEmbeddedRights } from './installRights.ts'

const READY_MS = 30_000

/** Starts Kubernetes in this process, with the embedded tenant as its token issuer. With Helm, the identities have the rights of the chart and nothing more. */
export async function startEmbeddedCluster(
  { azure, directory }: ClusterSurroundings,
  port: number,
  rightsByHelm?: string,
): Promise<StackCluster> {
  const oidc = { keys: await fetchKeys(azure), issuer: azure.issuer, audience: KUBE_AUDIENCE }
  const kubernetes = await startKubernetes({ port, oidc, authorization: rightsByHelm === undefined ? 'open' : 'rbac' })
  const kubeconfigFile = join(directory, 'kubeconfig')
  writeFileSync(kubeconfigFile, kubernetes.kubeconfig(), { mode: 0o600 })
  const source = { url: kubernetes.url, ca: kubernetes.caCertificate, token: kubernetes.adminToken }
  if (rightsByHelm !== undefined) {
    const client = createKubeClient(connectionFrom(source))
    await installEmbeddedRights(client, rightsByHelm, AbortSignal.timeout(READY_MS)).finally(() => client.close())
  }
  return {
    url: kubernetes.url,
    caCertificate: kubernetes.caCertificate,
    kubeconfigFile,
    source,
    shimEnv: { KUBECONFIG: kubeconfigFile, LEASE_NAMESPACE: 'default' },
    credentials: tokenIssuer(kubernetes),
    controllers: CONTROLLER_NAMES,
    close: () => kubernetes.close(),
  }
}
