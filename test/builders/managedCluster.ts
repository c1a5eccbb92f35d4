/** The subscription of the clusters below. */
export const SUBSCRIPTION = '00000000-0000-4000-8000-000000000001'
export const CLUSTER_ID = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop`
const NODE_GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/MC_shop_shop_eastus/providers`
export const OWN_SUBNET = `/subscriptions/${SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/hub/subnets/nodes`
const TENANT = '00000000-0000-4000-8000-000000000002'

type Json = { readonly [member: string]: unknown }

/** The answer of GET for a cluster from `az aks create` with Azure CNI overlay, Cilium, Entra, OIDC issuer and workload identity. */
export function managedCluster(properties: Json = {}, top: Json = {}): Json {
  return {
    id: CLUSTER_ID,
    name: 'shop',
    type: 'Microsoft.ContainerService/managedClusters',
    location: 'eastus',
    tags: {},
    sku: { name: 'Base', tier: 'Standard' },
    identity: { type: 'SystemAssigned', principalId: '00000000-0000-4000-8000-000000000003', tenantId: TENANT },
    ...top,
    properties: {
      provisioningState: 'Succeeded',
      powerState: { code: 'Running' },
      kubernetesVersion: '1.34',
      currentKubernetesVersion: '1.34.2',
      dnsPrefix: 'shop',
      fqdn: 'shop-abc123.hcp.eastus.azmk8s.io',
      azurePortalFQDN: 'shop-abc123.portal.hcp.eastus.azmk8s.io',
      agentPoolProfiles: [
        { name: 'system', count: 2, vmSize: 'Standard_D4as_v6', mode: 'System', nodeTaints: ['CriticalAddonsOnly=true:NoSchedule'] },
        { name: 'user', count: 0, vmSize: 'Standard_D4as_v6', mode: 'User' },
      ],
      linuxProfile: { adminUsername: 'azureuser', ssh: { publicKeys: [{ keyData: 'ssh-rsa AAAA shop' }] } },
      windowsProfile: { adminUsername: 'azureuser', enableCSIProxy: true },
      servicePrincipalProfile: { clientId: 'msi' },
      nodeResourceGroup: 'MC_shop_shop_eastus',
      enableRBAC: true,
      networkProfile: {
        networkPlugin: 'azure',
        networkPluginMode: 'overlay',
        networkPolicy: 'cilium',
        networkDataplane: 'cilium',
        loadBalancerSku: 'standard',
        podCidr: '10.244.0.0/16',
        serviceCidr: '10.0.0.0/16',
        dnsServiceIP: '10.0.0.10',
        outboundType: 'loadBalancer',
        ipFamilies: ['IPv4'],
      },
      aadProfile: { managed: true, enableAzureRBAC: false, adminGroupObjectIDs: null, tenantID: TENANT },
      identityProfile: {
        kubeletidentity: {
          resourceId: `${NODE_GROUP}/Microsoft.ManagedIdentity/userAssignedIdentities/shop-agentpool`,
          clientId: '00000000-0000-4000-8000-000000000004',
          objectId: '00000000-0000-4000-8000-000000000005',
        },
      },
      oidcIssuerProfile: {
        enabled: true,
        issuerURL: `https://eastus.oic.prod-aks.azure.com/${TENANT}/11111111-2222-4333-8444-555555555555/`,
      },
      securityProfile: { workloadIdentity: { enabled: true } },
      nodeProvisioningProfile: { mode: 'Manual', defaultNodePools: 'Auto' },
      ...properties,
    },
  }
}

const network = (changes: Json): Json => ({
  networkProfile: { ...(managedCluster()['properties'] as { readonly networkProfile: Json }).networkProfile, ...changes },
})

/** One cluster of each kind that Joiner treats differently. */
export const CLUSTERS = {
  public: managedCluster(),
  'authorized ranges': managedCluster({ apiServerAccessProfile: { authorizedIPRanges: ['20.1.2.3/32', '20.4.0.0/16'] } }),
  private: managedCluster({
    privateFQDN: 'shop-abc123.00000000.privatelink.eastus.azmk8s.io',
    apiServerAccessProfile: { enablePrivateCluster: true, privateDNSZone: 'system', enablePrivateClusterPublicFQDN: true },
  }),
  automatic: managedCluster(
    { nodeResourceGroupProfile: { restrictionLevel: 'ReadOnly' }, nodeProvisioningProfile: { mode: 'Auto' } },
    { sku: { name: 'Automatic', tier: 'Standard' } },
  ),
  locked: managedCluster({ nodeResourceGroupProfile: { restrictionLevel: 'ReadOnly' } }),
  'node auto provisioning': managedCluster({ nodeProvisioningProfile: { mode: 'Auto', defaultNodePools: 'Auto' } }),
  'no Entra': managedCluster({ aadProfile: null }),
  'no OIDC issuer': managedCluster({ oidcIssuerProfile: { enabled: false }, securityProfile: {} }),
  'no workload identity': managedCluster({ securityProfile: null }),
  stopped: managedCluster({ powerState: { code: 'Stopped' } }),
  updating: managedCluster({ provisioningState: 'Updating' }),
  old: managedCluster({ kubernetesVersion: '1.29', currentKubernetesVersion: '1.29.15' }),
  kubenet: managedCluster(
    network({ networkPlugin: 'kubenet', networkPluginMode: undefined, networkPolicy: 'calico', networkDataplane: undefined }),
  ),
  'own network plugin': managedCluster(network({ networkPlugin: 'none', networkPluginMode: undefined, networkDataplane: undefined })),
  'service principal': managedCluster(
    { servicePrincipalProfile: { clientId: '00000000-0000-4000-8000-000000000006' }, identityProfile: null },
    { identity: null },
  ),
  'own subnet': managedCluster({ agentPoolProfiles: [{ name: 'system', count: 2, mode: 'System', vnetSubnetID: OWN_SUBNET }] }),
  'no outbound': managedCluster(network({ outboundType: 'none' })),
  calico: managedCluster(network({ networkPolicy: 'calico', networkDataplane: 'azure' })),
  'pod subnet': managedCluster({
    ...network({ networkPluginMode: undefined }),
    agentPoolProfiles: [{ name: 'system', count: 2, mode: 'System', vnetSubnetID: OWN_SUBNET, podSubnetID: `${OWN_SUBNET}-pods` }],
  }),
  'dual stack': managedCluster(network({ ipFamilies: ['IPv4', 'IPv6'] })),
  'http proxy': managedCluster({ httpProxyConfig: { httpProxy: 'http://proxy.example:3128', noProxy: ['10.0.0.0/8'] } }),
  'own certificate authority': managedCluster({
    securityProfile: { workloadIdentity: { enabled: true }, customCATrustCertificates: ['LS0t'] },
  }),
  'network isolated': managedCluster({ ...network({ outboundType: 'block' }), bootstrapProfile: { artifactSource: 'Cache' } }),
  'IMDS restriction': managedCluster(network({ podLinkLocalAccess: 'None' })),
  'disk encryption set': managedCluster({ diskEncryptionSetID: `${NODE_GROUP}/Microsoft.Compute/diskEncryptionSets/shop` }),
  KMS: managedCluster({ securityProfile: { workloadIdentity: { enabled: true }, azureKeyVaultKms: { enabled: true, keyId: 'k' } } }),
  'protected pools': managedCluster({
    agentPoolProfiles: [{ name: 'system', count: 2, mode: 'System', enableFIPS: true, enableEncryptionAtHost: true }],
  }),
  'pools with local DNS': managedCluster({
    agentPoolProfiles: [
      { name: 'system', count: 2, mode: 'System', localDNSProfile: { mode: 'Preferred', state: 'Enabled' } },
      { name: 'web', count: 2, mode: 'User', localDNSProfile: { mode: 'Preferred', state: 'Disabled' } },
      { name: 'jobs', count: 2, mode: 'User', localDNSProfile: null },
    ],
  }),
  'autoscaled pools': managedCluster({
    agentPoolProfiles: [
      { name: 'system', count: 2, mode: 'System', enableAutoScaling: false },
      { name: 'web', count: 0, mode: 'User', enableAutoScaling: true, minCount: 0, maxCount: 5 },
      { name: 'jobs', count: 3, mode: 'User', enableAutoScaling: true, minCount: 3, maxCount: 9 },
      {
        name: 'vms',
        count: 1,
        mode: 'User',
        type: 'VirtualMachines',
        virtualMachinesProfile: { scale: { autoscale: { size: 'D', minCount: 0 } } },
      },
      { name: 'hand', count: 1, mode: 'User', type: 'VirtualMachines', virtualMachinesProfile: { scale: { manual: [{ count: 1 }] } } },
    ],
  }),
  newer: managedCluster({ kubernetesVersion: '1.37', currentKubernetesVersion: '1.37.0' }),
  'bare system pool': managedCluster({ agentPoolProfiles: [{ name: 'system', count: 0, mode: 'System' }] }),
} as const satisfies { readonly [kind: string]: Json }
