import type { VirtualMachine } from '@azure/arm-compute'
import { claimOfInstanceName, nodePoolName, type ProviderId, providerId, vmSizeName } from '../../../model/ids.ts'
import type { Instance, InstanceState } from '../../../model/instance.ts'
import { epochMs } from '../../../model/units.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { zoneLabel } from '../sizes/zones.ts'
import { TAG } from './tags.ts'

/** How Kubernetes names the machine: the resource group in lower case, as the cloud provider of AKS writes it. */
export function providerIdOf(config: Pick<ClusterConfig, 'subscriptionId' | 'nodeResourceGroup'>, name: string): ProviderId {
  const group = config.nodeResourceGroup.toLowerCase()
  return providerId(
    `azure:///subscriptions/${config.subscriptionId}/resourceGroups/${group}/providers/Microsoft.Compute/virtualMachines/${name}`,
  )
}

/** The machine as ARM shows it; undefined when its name is none of ours. */
export function instanceOf(vm: VirtualMachine, config: ClusterConfig, state: InstanceState): Instance | undefined {
  const name = (vm.name ?? '').toLowerCase()
  const claim = claimOfInstanceName(name)
  if (claim === undefined) return undefined
  const image = vm.storageProfile?.imageReference?.communityGalleryImageId ?? vm.storageProfile?.imageReference?.id
  const nodePool = vm.tags?.[TAG.nodePool]
  return {
    name,
    claim,
    ...(nodePool === undefined ? {} : { nodePool: nodePoolName(nodePool) }),
    providerId: providerIdOf(config, name),
    size: vmSizeName(vm.hardwareProfile?.vmSize ?? ''),
    zone: zoneLabel(config.location, vm.zones?.[0]),
    capacityType: vm.priority === 'Spot' ? 'spot' : 'on-demand',
    ...(image === undefined ? {} : { imageId: image }),
    ...(vm.timeCreated === undefined ? {} : { createdAt: epochMs(vm.timeCreated.getTime()) }),
    state,
  }
}

/** The state of a machine that did not fail. */
export function liveState(provisioningState: string | undefined): Exclude<InstanceState, { kind: 'failed' }> {
  switch (provisioningState) {
    case 'Creating':
      return { kind: 'creating' }
    case 'Deleting':
      return { kind: 'deleting' }
    default:
      return { kind: 'running' }
  }
}
