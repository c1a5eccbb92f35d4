import type { VirtualMachine } from '@azure/arm-compute'
import { defined } from '../../../base/values.ts'
import { claimOfInstanceName, nodePoolName, type ProviderId, providerId, vmSizeName } from '../../../model/ids.ts'
import { type Instance, type InstanceState, TAG } from '../../../model/instance.ts'
import { epochMs } from '../../../model/units.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { zoneLabel } from '../sizes/zones.ts'
import { machineNamesOf } from './machineNames.ts'
import { claimCreatedAt } from './tags.ts'

/** The provider id of the machine, with the resource group in lower case, as the cloud provider of AKS writes it. */
export function providerIdOf(config: Pick<ClusterConfig, 'subscriptionId' | 'nodeResourceGroup'>, name: string): ProviderId {
  const group = config.nodeResourceGroup.toLowerCase()
  return providerId(
    `azure:///subscriptions/${config.subscriptionId}/resourceGroups/${group}/providers/Microsoft.Compute/virtualMachines/${name}`,
  )
}

/** The machine as ARM shows it. Undefined if its name is not one of ours. */
export function instanceOf(vm: VirtualMachine, config: ClusterConfig, state: InstanceState): Instance | undefined {
  const name = (vm.name ?? '').toLowerCase()
  const claim = claimOfInstanceName(name, machineNamesOf(config))
  if (claim === undefined) return undefined
  const nodePool = vm.tags?.[TAG.nodePool]
  return defined({
    name,
    claim,
    nodePool: nodePool === undefined ? undefined : nodePoolName(nodePool),
    providerId: providerIdOf(config, name),
    size: vmSizeName(vm.hardwareProfile?.vmSize ?? ''),
    zone: zoneLabel(config.location, vm.zones?.[0]),
    capacityType: vm.priority === 'Spot' ? ('spot' as const) : ('on-demand' as const),
    imageId: imageIdOf(vm),
    // The claim is older than its machine. So is the tag, and a machine that counts as older than it is has a claim that lists show by now.
    createdAt: vm.timeCreated === undefined ? claimCreatedAt(vm) : epochMs(vm.timeCreated.getTime()),
    state,
  })
}

function imageIdOf(vm: VirtualMachine): string | undefined {
  const reference = vm.storageProfile?.imageReference
  return reference?.communityGalleryImageId ?? reference?.id
}

/** The state of a machine that did not fail. */
export function liveState(provisioningState: string | undefined): Exclude<InstanceState, { kind: 'failed' }> {
  if (provisioningState === 'Creating') return { kind: 'creating' }
  return provisioningState === 'Deleting' ? { kind: 'deleting' } : { kind: 'running' }
}
