import { defined } from '../../../shared/base/values.ts'
import type { AzureSettings } from '../options.ts'
import type { Document } from './armState.ts'

/** The one cluster of the emulated subscription. */
export function clusterResourceId({ subscriptionId, cluster }: Pick<AzureSettings, 'subscriptionId' | 'cluster'>): string {
  return `/subscriptions/${subscriptionId}/resourceGroups/${cluster.group}/providers/Microsoft.ContainerService/managedClusters/${cluster.name}`
}

/** Any key works, because nobody logs in to these machines. */
const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKmQzmXpzWvGgGQ8zNqfzLYmPvJ8lM0Vq3yqV5p2dZ5m local'
const KUBELET = { clientId: '00000000-0000-4000-8000-00000000a007', objectId: '00000000-0000-4000-8000-00000000a008' }

/** A running cluster with its network, as AKS makes them. Its addresses lead nowhere until a control plane is there. */
export function firstDocuments(settings: AzureSettings): readonly Document[] {
  return [...clusterDocuments(settings), networkDocument(settings)]
}

/**
 * A cluster whose nodes are in their own group. `subnetId`: its nodes join this subnet of a network that is there. Undefined: AKS makes the network.
 */
export function clusterDocuments(settings: AzureSettings, subnetId?: string): readonly Document[] {
  const { subscriptionId, tenantId, location, resourceGroups, cluster } = settings
  const [nodeGroup = ''] = resourceGroups
  const inNodeGroup = `/subscriptions/${subscriptionId}/resourceGroups/${nodeGroup}/providers`
  const identity = `${inNodeGroup}/Microsoft.ManagedIdentity/userAssignedIdentities/${cluster.name}-agentpool`
  return [
    {
      id: clusterResourceId(settings),
      location,
      sku: { name: 'Base', tier: 'Standard' },
      identity: { type: 'SystemAssigned', principalId: '00000000-0000-4000-8000-00000000a00b', tenantId },
      properties: {
        provisioningState: 'Succeeded',
        powerState: { code: 'Running' },
        kubernetesVersion: '1.34',
        currentKubernetesVersion: '1.34.0',
        fqdn: `${cluster.name}.hcp.${location}.invalid`,
        agentPoolProfiles: [
          {
            name: 'system',
            mode: 'System',
            count: 1,
            type: 'VirtualMachineScaleSets',
            provisioningState: 'Succeeded',
            ...defined({ vnetSubnetID: subnetId }),
          },
        ],
        linuxProfile: { adminUsername: 'azureuser', ssh: { publicKeys: [{ keyData: SSH_KEY }] } },
        servicePrincipalProfile: { clientId: 'msi' },
        nodeResourceGroup: nodeGroup,
        enableRBAC: true,
        networkProfile: {
          networkPlugin: 'azure',
          networkPluginMode: 'overlay',
          networkPolicy: 'cilium',
          networkDataplane: 'cilium',
          dnsServiceIP: '10.0.0.10',
          outboundType: 'managedNATGateway',
          loadBalancerSku: 'standard',
        },
        aadProfile: { managed: true, enableAzureRBAC: false, tenantID: tenantId },
        identityProfile: { kubeletidentity: { resourceId: identity, ...KUBELET } },
        oidcIssuerProfile: { enabled: true, issuerURL: `https://${location}.oic.invalid/${tenantId}/` },
        securityProfile: { workloadIdentity: { enabled: true } },
        nodeProvisioningProfile: { mode: 'Manual' },
      },
    },
    {
      id: identity,
      name: `${cluster.name}-agentpool`,
      type: 'Microsoft.ManagedIdentity/userAssignedIdentities',
      location,
      properties: { tenantId, clientId: KUBELET.clientId, principalId: KUBELET.objectId },
    },
    ...trafficDocuments(settings),
  ]
}

/** The security group and the load balancer that AKS makes in the resource group of the nodes. */
function trafficDocuments({ subscriptionId, location, resourceGroups: [nodeGroup = ''] }: AzureSettings): readonly Document[] {
  const inNodeGroup = `/subscriptions/${subscriptionId}/resourceGroups/${nodeGroup}/providers`
  const balancer = `${inNodeGroup}/Microsoft.Network/loadBalancers/kubernetes`
  return [
    { id: `${inNodeGroup}/Microsoft.Network/networkSecurityGroups/aks-agentpool-10000001-nsg`, location, properties: {} },
    {
      id: balancer,
      location,
      sku: { name: 'Standard' },
      properties: {
        provisioningState: 'Succeeded',
        backendAddressPools: [{ id: `${balancer}/backendAddressPools/kubernetes`, name: 'kubernetes', properties: {} }],
      },
    },
  ]
}

/** The network that AKS makes in the resource group of the nodes. */
function networkDocument({ location, subnetId }: AzureSettings): Document {
  return {
    id: subnetId.replace(/\/subnets\/[^/]*$/, ''),
    location,
    properties: {
      provisioningState: 'Succeeded',
      resourceGuid: '00000000-0000-4000-8000-00000000a00c',
      addressSpace: { addressPrefixes: ['10.224.0.0/12'] },
    },
  }
}
