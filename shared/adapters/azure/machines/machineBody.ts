import type { OSDisk, SecurityProfile, VirtualMachine } from '@azure/arm-compute'
import type { NodeClass } from '../../../model/nodeClass.ts'
import type { LaunchRequest } from '../../../ports/cloudProvider.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { AZURE_LABEL } from '../azureLabels.ts'
import { imageReference } from '../images/imageChoice.ts'
import { isTrustedLaunch } from '../images/imageFamily.ts'
import type { OsDisk } from '../sizes/osDisk.ts'
import { armZones } from '../sizes/zones.ts'

export type MachineInput = {
  readonly name: string
  readonly request: Pick<LaunchRequest, 'claim' | 'nodeClass' | 'candidate'>
  readonly config: ClusterConfig
  readonly tags: Record<string, string>
  readonly interfaceId: string
  readonly imageId: string
  readonly customData: string
  /** Undefined if the size is not in the list of sizes. Azure then chooses the kind of the managed disk. */
  readonly disk: OsDisk | undefined
}

/** The body of the request for a virtual machine. Azure deletes its disk and its interface together with it. */
export function machineBody(input: MachineInput): VirtualMachine {
  const { name, request, config, tags } = input
  const { choice } = request.candidate
  const zones = armZones(choice.zone)
  const identities = config.nodeIdentities
  const security = securityProfile(request.nodeClass)
  return {
    location: config.location,
    tags,
    ...(zones === undefined ? {} : { zones }),
    ...(identities.length === 0
      ? {}
      : { identity: { type: 'UserAssigned', userAssignedIdentities: Object.fromEntries(identities.map((id) => [id, {}])) } }),
    hardwareProfile: { vmSize: choice.size },
    ...priorityOf(choice.capacityType === 'spot'),
    storageProfile: { osDisk: osDisk(input), imageReference: imageReference(input.imageId) },
    networkProfile: { networkInterfaces: [{ id: input.interfaceId, primary: true, deleteOption: 'Delete' }] },
    osProfile: osProfile(name, input.customData, config),
    ...(security === undefined ? {} : { securityProfile: security }),
    ...(wantsUltraSsd(input) ? { additionalCapabilities: { ultraSSDEnabled: true } } : {}),
  }
}

/** The priority of the machine. With a maximal price of -1, a spot machine is never evicted for its price, only for capacity. */
function priorityOf(isSpot: boolean): Pick<VirtualMachine, 'priority' | 'evictionPolicy' | 'billingProfile'> {
  return isSpot ? { priority: 'Spot', evictionPolicy: 'Delete', billingProfile: { maxPrice: -1 } } : { priority: 'Regular' }
}

function osDisk({ name, request, config, disk }: MachineInput): OSDisk {
  const encryption = config.diskEncryptionSetId
  const managedDisk = {
    ...(disk?.kind === 'managed' ? { storageAccountType: disk.storageAccountType } : {}),
    ...(encryption === undefined ? {} : { diskEncryptionSet: { id: encryption } }),
  }
  return {
    name,
    diskSizeGB: request.nodeClass.spec.osDiskSizeGb,
    createOption: 'FromImage',
    deleteOption: 'Delete',
    ...(disk?.kind === 'ephemeral' ? { diffDiskSettings: { option: 'Local', placement: disk.placement }, caching: 'ReadOnly' } : {}),
    ...(Object.keys(managedDisk).length === 0 ? {} : { managedDisk }),
  }
}

function osProfile(name: string, customData: string, config: ClusterConfig): NonNullable<VirtualMachine['osProfile']> {
  const path = `/home/${config.adminUsername}/.ssh/authorized_keys`
  return {
    adminUsername: config.adminUsername,
    computerName: name,
    customData,
    linuxConfiguration: { disablePasswordAuthentication: true, ssh: { publicKeys: [{ keyData: config.sshPublicKey, path }] } },
  }
}

function securityProfile({ spec }: NodeClass): SecurityProfile | undefined {
  const trusted = isTrustedLaunch(spec)
  if (!trusted && spec.encryptionAtHost === undefined) return undefined
  const uefiSettings = { secureBootEnabled: spec.trustedLaunch?.secureBoot ?? false, vTpmEnabled: spec.trustedLaunch?.vtpm ?? false }
  return {
    ...(spec.encryptionAtHost === undefined ? {} : { encryptionAtHost: spec.encryptionAtHost }),
    ...(trusted ? { securityType: 'TrustedLaunch', uefiSettings } : {}),
  }
}

/** Reports whether the claim requires Ultra SSD: it admits `true` and not `false`. */
function wantsUltraSsd({ request }: MachineInput): boolean {
  const asked = request.claim.spec.requirements.filter((requirement) => requirement.key === AZURE_LABEL.ultraSsd)
  return asked.some((requirement) => {
    const hasFalse = requirement.values.includes('false')
    if (requirement.operator === 'In') return requirement.values.includes('true') && !hasFalse
    return requirement.operator === 'NotIn' && hasFalse && !requirement.values.includes('true')
  })
}
