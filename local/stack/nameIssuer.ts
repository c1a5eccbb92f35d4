import { Fault, problem } from '../../shared/model/problem.ts'
import { recordAt } from '../azure/json.ts'
import type { LocalAzure } from '../azure/startAzure.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'
import { ISSUER_PATHS } from '../kubernetes/access/accountIssuer.ts'

/**
 * Puts the issuer of service account tokens, as the API server names it, into the cluster of the emulated Azure. AKS publishes the documents of the
 * issuer at a public address of their own. Here the API server is that address.
 */
export async function nameIssuer(azure: LocalAzure, client: KubeClient, signal: AbortSignal): Promise<void> {
  const said = await client.send<{ readonly issuer: string }>({ method: 'GET', path: ISSUER_PATHS.configuration, signal })
  if (!said.ok) throw new Fault('learn the issuer of the cluster', problem('SETTING.INVALID', said.error.message))
  const cluster = azure.getResource(azure.clusterResourceId)
  if (cluster === undefined) throw new TypeError('the emulated Azure has no cluster')
  const oidcIssuerProfile = { enabled: true, issuerURL: said.value.issuer }
  azure.putResource({ ...cluster, properties: { ...recordAt(cluster, 'properties'), oidcIssuerProfile } })
}
