import { stringify } from 'yaml'
import { KUBE_YAML } from '../../shared/wire/kube/kubeYaml.ts'

/** Returns a kubeconfig with one cluster, one user and one context. CA and token are embedded. */
export function printKubeconfig(cluster: { readonly url: string; readonly caCertificate: string }, user: string, token: string): string {
  const name = 'joiner-local'
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server: cluster.url, 'certificate-authority-data': Buffer.from(cluster.caCertificate).toString('base64') } },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user, namespace: 'default' } }],
    'current-context': name,
  }
  return stringify(config, KUBE_YAML)
}
