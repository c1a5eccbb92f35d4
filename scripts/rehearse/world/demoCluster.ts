// The cluster for trials, which the template makes. Its control plane runs from the start, and AKS shows it once the cluster is there.
import { createEvaluator } from '../../../infra/check/evaluate/evaluate.ts'
import { repositorySources } from '../../../infra/check/sources.ts'
import type { Document } from '../../../local/azure/arm/armState.ts'
import { recordAt } from '../../../local/azure/json.ts'
import { type ClusterPlace, type StartAzureOptions, settingsOf } from '../../../local/azure/options.ts'
import type { LocalAzure } from '../../../local/azure/startAzure.ts'
import { repositoryRoot } from '../../floors.ts'
import { ENVIRONMENT } from '../templates.ts'

/** Returns where the template puts the cluster, and the group of its nodes as AKS names it. */
export async function demoPlace(): Promise<Required<Pick<StartAzureOptions, 'cluster' | 'resourceGroups'>>> {
  const { subscriptionId, tenantId, location } = settingsOf({})
  const { evaluate } = await createEvaluator(repositorySources(repositoryRoot).readText)
  const parameters = { environmentName: ENVIRONMENT, location, demoCluster: 'true' }
  const { resources } = evaluate('infra/demo.bicep', parameters, { deploymentContext: { subscriptionId, tenantId, location } })
  const made = resources.find(({ type }) => type === 'Microsoft.ContainerService/managedClusters')
  const [, , , , group = '', , , , name = ''] = made?.id.split('/') ?? []
  const cluster: ClusterPlace = { group, name }
  return { cluster, resourceGroups: [`MC_${group}_${name}_${location}`] }
}

/** What AKS adds to the requested properties. Beside these it has defaults for what was not requested. */
const MADE_BY_AKS = ['fqdn', 'oidcIssuerProfile', 'identityProfile', 'nodeResourceGroup', 'currentKubernetesVersion'] as const

/** Takes the cluster away until the template makes it. Call the returned function after each deployment: it adds what AKS adds. */
export function awaitDemoCluster(
  azure: Pick<LocalAzure, 'clusterResourceId' | 'getResource' | 'putResource' | 'removeResource'>,
): () => void {
  const { clusterResourceId: id } = azure
  const held = azure.getResource(id)
  if (held === undefined) throw new Error('the local Azure has no cluster')
  azure.removeResource(id)
  return () => {
    const made = azure.getResource(id)
    if (made !== undefined && made['kubeconfig'] === undefined) azure.putResource(completed(made, held))
  }
}

function completed(made: Document, held: Document): Document {
  const [asked, known] = [recordAt(made, 'properties'), recordAt(held, 'properties')]
  // The template gives no key for the machines.
  const { linuxProfile: _, ...defaults } = known
  const networkProfile = { ...recordAt(known, 'networkProfile'), ...recordAt(asked, 'networkProfile') }
  const added = Object.fromEntries(MADE_BY_AKS.map((name) => [name, known[name]]))
  return { ...held, ...made, properties: { ...defaults, ...asked, networkProfile, ...added } }
}
