// The cluster of the local Azure, as the preprovision hook describes a cluster to the template.
import type { Json } from '../../infra/check/evaluate/value.ts'
import { textAt } from '../../local/azure/json.ts'
import type { LocalAzure } from '../../local/azure/startAzure.ts'

type Held = Pick<LocalAzure, 'clusterResourceId' | 'getResource' | 'subnetId'>

export function clusterParameter(azure: Held, name: string): { readonly [field: string]: Json } {
  const cluster = azure.getResource(azure.clusterResourceId)
  const text = (path: string): string => {
    const found = textAt(cluster, path)
    if (found === undefined) throw new Error(`the cluster of the local Azure has no ${path}`)
    return found
  }
  return {
    name,
    id: azure.clusterResourceId,
    nodeResourceGroup: text('properties.nodeResourceGroup'),
    oidcIssuer: text('properties.oidcIssuerProfile.issuerURL'),
    subnetIds: [azure.subnetId],
    identityIds: [text('properties.identityProfile.kubeletidentity.resourceId')],
  }
}
