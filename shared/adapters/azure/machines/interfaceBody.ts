import type { NetworkInterface, NetworkInterfaceIPConfiguration } from '@azure/arm-network'
import type { InstanceType } from '../../../model/instanceType.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { AZURE_LABEL } from '../azureLabels.ts'
import { isNodeSubnet } from '../sizes/maxPods.ts'

export type InterfaceOf = {
  readonly instanceType: InstanceType
  readonly nodeClass: NodeClass
  readonly config: ClusterConfig
  /** The backend pools that it joins. */
  readonly poolIds: readonly string[]
  readonly tags: Record<string, string>
}

/** The network interface of a machine. It has one address, and an address for each further pod if pods are in the subnet of the nodes. */
export function interfaceBody(name: string, machine: InterfaceOf): NetworkInterface {
  const { instanceType, nodeClass, config, poolIds, tags } = machine
  const subnet = { id: nodeClass.spec.vnetSubnetId ?? config.vnetSubnetId }
  const primary: NetworkInterfaceIPConfiguration = {
    name,
    primary: true,
    privateIPAllocationMethod: 'Dynamic',
    subnet,
    loadBalancerBackendAddressPools: poolIds.map((id) => ({ id })),
  }
  const others = isNodeSubnet(config) ? (instanceType.capacity['pods'] ?? 1) - 1 : 0
  const secondary = Array.from(
    { length: others },
    (_, index): NetworkInterfaceIPConfiguration => ({
      name: `ipconfig${index + 1}`,
      primary: false,
      privateIPAllocationMethod: 'Dynamic',
      subnet,
    }),
  )
  return {
    location: config.location,
    tags,
    enableAcceleratedNetworking: hasAcceleratedNetworking(instanceType),
    enableIPForwarding: false,
    ipConfigurations: [primary, ...secondary],
    ...(config.networkSecurityGroupId === undefined ? {} : { networkSecurityGroup: { id: config.networkSecurityGroupId } }),
  }
}

function hasAcceleratedNetworking(instanceType: InstanceType): boolean {
  const label = instanceType.requirements.find((requirement) => requirement.key === AZURE_LABEL.acceleratedNetworking)
  return label?.values.includes('true') === true
}
