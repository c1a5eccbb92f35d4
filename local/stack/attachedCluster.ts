import { existsSync } from 'node:fs'
import { Fault, problem } from '../../shared/model/problem.ts'
import { connectionFrom } from '../cluster/client/connection.ts'
import { createKubeClient, type KubeClient } from '../cluster/client/kubeClient.ts'
import { authenticationFileOf } from '../controlplane/kubeconfig.ts'
import { writeAuthentication } from '../controlplane/programs.ts'
import { CACHE } from '../goPrograms.ts'
import { findHelm, helmObstacle } from '../helm/findHelm.ts'
import type { ClusterSurroundings, StackCluster } from './cluster.ts'
import { APP_IDENTITY, KUBE_AUDIENCE } from './identities.ts'
import { installRights } from './installRights.ts'
import { mountShimAccount } from './shimAccount.ts'

/** How long the API server may take to accept a new token issuer. It fetches the issuer's keys in its own time. */
const BELIEF_MS = 60_000
const LOOK_AGAIN_MS = 200

/**
 * Attaches a control plane of `npm run controlplane`. The control plane is made to accept the tokens of the embedded tenant, with the permissions of
 * the chart and nothing more. Its own scheduler, controllers and signer are used, and only the parts of the cloud are emulated.
 */
export async function attachCluster(
  { azure, directory, onNotice }: ClusterSurroundings,
  kubeconfigFile: string,
  signal: AbortSignal,
): Promise<StackCluster> {
  const authenticationFile = requireControlPlane(kubeconfigFile)
  const { url, ca } = connectionFrom({ kubeconfig: kubeconfigFile })
  if (ca === undefined) throw refused(`kubeconfig ${kubeconfigFile} names no authority for ${url}; add certificate-authority-data`)
  const helm = await helmOf(onNotice)
  writeAuthentication(authenticationFile, [issuerOf(azure)])
  const client = createKubeClient(connectionFrom({ kubeconfig: kubeconfigFile }))
  const shimEnv = await installRights(client, helm, signal)
    .then(() => mountShimAccount({ client, url, ca, directory, signal }))
    .finally(() => client.close())
  const token = await azure.issueToken({ oid: APP_IDENTITY.objectId, appid: APP_IDENTITY.clientId, audience: KUBE_AUDIENCE })
  const asApp = createKubeClient(connectionFrom({ url, ca, token }))
  try {
    await issuerAccepted(asApp, url, AbortSignal.any([signal, AbortSignal.timeout(BELIEF_MS)]))
  } finally {
    asApp.close()
  }
  return {
    url,
    caCertificate: ca,
    kubeconfigFile,
    source: { kubeconfig: kubeconfigFile },
    shimEnv,
    credentials: 'signingRequest',
    controllers: ['cloudnode'],
    close: async () => writeAuthentication(authenticationFile, []),
  }
}

/** Returns the authentication file of the cluster. Looks at the kubeconfig alone, so that a wrong one is refused before anything is built. */
export function requireControlPlane(kubeconfigFile: string): string {
  if (!existsSync(kubeconfigFile))
    throw refused(`there is no kubeconfig ${kubeconfigFile}; start a control plane with: npm run controlplane`)
  const authenticationFile = authenticationFileOf(kubeconfigFile)
  if (authenticationFile !== undefined) return authenticationFile
  throw refused(`the cluster of ${kubeconfigFile} cannot be made to take the embedded tenant's tokens; use one of: npm run controlplane`)
}

/** Returns the path of Helm, which renders the chart. Builds Helm if it is not there. */
function helmOf(say: (line: string) => void): Promise<string> {
  const places = { assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }
  const why = helmObstacle(places, process.env['PATH'] ?? '')
  if (why !== undefined) throw refused(why)
  return findHelm(places, say)
}

/** Returns Entra as an issuer, as AKS configures it: the user name is the object id of the identity. */
function issuerOf({ issuer, caCertificate }: ClusterSurroundings['azure']): object {
  return {
    issuer: { url: issuer, audiences: [KUBE_AUDIENCE], certificateAuthority: caCertificate },
    claimMappings: { username: { claim: 'oid', prefix: '' }, groups: { claim: 'groups', prefix: '' } },
  }
}

async function issuerAccepted(client: KubeClient, url: string, signal: AbortSignal): Promise<void> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  while (!signal.aborted) {
    const answer = await client.send({ method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: review, signal })
    if (answer.ok) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
  throw refused(`the API server at ${url} does not take the embedded tenant's tokens`)
}

function refused(message: string): Fault {
  return new Fault('use the cluster of the kubeconfig', problem('SETTING.INVALID', message))
}
