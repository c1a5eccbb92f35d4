/** What Azure says of a cluster: read from ARM, never written down by hand. Names are ARM's own where they are clear. */
export type ClusterFacts = {
  /** As asked for. */
  readonly resourceId: string
  /** Lower case, without spaces: `eastus`. */
  readonly location: string
  /** What the control plane runs, `1.34.2`. */
  readonly kubernetesVersion: string
  readonly powerState: 'Running' | 'Stopped'
  /** `Succeeded`, `Updating`, `Failed` and so on. */
  readonly provisioningState: string
  /** `Base` or `Automatic`. */
  readonly sku: string
  readonly nodeResourceGroup: string
  /** `ReadOnly` where a deny assignment keeps everybody but AKS from changing the node resource group. */
  readonly nodeResourceGroupRestriction: string
  /** `ServicePrincipal` where the cluster has no managed identity. */
  readonly identity: 'ManagedIdentity' | 'ServicePrincipal'
  readonly kubeletIdentity?: KubeletIdentity
  /** `Auto` where AKS's own provisioner makes nodes. */
  readonly nodeProvisioning: string
  readonly hasWorkloadIdentity: boolean
  /** Address whose keys sign the tokens of service accounts. */
  readonly oidcIssuer?: string
  /** Absent: the API server takes no Entra tokens. */
  readonly entra?: { readonly tenantId?: string }
  readonly apiServer: ApiServerFacts
  readonly network: NetworkFacts
  readonly sshPublicKey?: string
  readonly pools: readonly AgentPoolFacts[]
}

export type KubeletIdentity = { readonly clientId: string; readonly resourceId: string }

export type ApiServerFacts = {
  /** `https://host`, by the name that is right for a cluster of this kind. */
  readonly url: string
  readonly isPrivate: boolean
  /** CIDRs. None: everybody may connect. */
  readonly authorizedRanges: readonly string[]
}

export type NetworkFacts = {
  readonly plugin: string
  /** `overlay`, or empty. */
  readonly pluginMode: string
  readonly policy: string
  readonly dataplane: string
  readonly outboundType: string
  readonly dnsServiceIp?: string
  /** Id of the subnet that the nodes of the system pools are in. */
  readonly subnetId?: string
  /** Ids of the pools of the cluster's load balancer that a machine must join to have a way out. */
  readonly backendPoolIds: readonly string[]
  /** Of AKS's own making; machines outside the virtual network of AKS name it themselves. */
  readonly networkSecurityGroupId?: string
}

export type AgentPoolFacts = {
  readonly name: string
  /** `System` or `User`. */
  readonly mode: string
  readonly count: number
  readonly taints: readonly string[]
  readonly subnetId?: string
}
