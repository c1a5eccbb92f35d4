import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONTROLLER_NAMES } from '../cluster/startControllers.ts'
import { tokenIssuer } from '../kubelet/tokenIssuer.ts'
import { startKubernetes } from '../kubernetes/startKubernetes.ts'
import type { ClusterSurroundings, StackCluster } from './cluster.ts'
import { fetchKeys } from './fetchKeys.ts'
import { KUBE_AUDIENCE } from './identities.ts'

/** Starts Kubernetes in this process, with the embedded tenant as its token issuer. */
export async function startEmbeddedCluster({ azure, directory }: ClusterSurroundings, port: number): Promise<StackCluster> {
  const oidc = { keys: await fetchKeys(azure), issuer: azure.issuer, audience: KUBE_AUDIENCE }
  const kubernetes = await startKubernetes({ port, oidc })
  const kubeconfigFile = join(directory, 'kubeconfig')
  writeFileSync(kubeconfigFile, kubernetes.kubeconfig(), { mode: 0o600 })
  return {
    url: kubernetes.url,
    caCertificate: kubernetes.caCertificate,
    kubeconfigFile,
    source: { url: kubernetes.url, ca: kubernetes.caCertificate, token: kubernetes.adminToken },
    shimEnv: { KUBECONFIG: kubeconfigFile, LEASE_NAMESPACE: 'default' },
    credentials: tokenIssuer(kubernetes),
    controllers: CONTROLLER_NAMES,
    close: () => kubernetes.close(),
  }
}
