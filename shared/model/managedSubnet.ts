/** The network that AKS makes in the resource group of the nodes, unless the cluster has a network of its user. */
export const MANAGED_NETWORK = /^aks-vnet-\d+$/i
const MANAGED_SUBNET = 'aks-subnet'
const FORM = /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Network\/virtualNetworks\/([^/]+)\/subnets\/([^/]+)$/i

/** The subnet of the nodes in a network that AKS made. */
export function managedSubnetOf(networkId: string): string {
  return `${networkId}/subnets/${MANAGED_SUBNET}`
}

/**
 * Reports whether AKS made the subnet, and so keeps its security group and route table on it. A user may put a network into the resource group of the
 * nodes, or a subnet into the network of AKS: AKS keeps nothing on these. Azure ignores the case of ids.
 */
export function isManagedSubnet(id: string, nodeResourceGroup: string): boolean {
  const [, group = '', network = '', subnet = ''] = FORM.exec(id) ?? []
  return group.toLowerCase() === nodeResourceGroup.toLowerCase() && MANAGED_NETWORK.test(network) && subnet.toLowerCase() === MANAGED_SUBNET
}
