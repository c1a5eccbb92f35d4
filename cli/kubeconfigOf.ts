import type { ClusterAccess } from './clusterAccess.ts'

/**
 * Returns a kubeconfig for Helm with a token that is valid for about an hour. Write it only to a file that only this user can read, and remove the
 * file at once.
 */
export async function kubeconfigOf({ server, caBundle, token }: Pick<ClusterAccess, 'server' | 'caBundle' | 'token'>): Promise<string> {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'joiner',
    clusters: [{ name: 'joiner', cluster: { server, 'certificate-authority-data': caBundle } }],
    users: [{ name: 'joiner', user: { token: await token() } }],
    contexts: [{ name: 'joiner', context: { cluster: 'joiner', user: 'joiner' } }],
  })
}
