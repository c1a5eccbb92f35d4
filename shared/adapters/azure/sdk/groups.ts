// The operation groups that the app uses, of about 250 in the two packages. The bundle of the app contains only these groups: `scripts/leaveOut.ts`
// reads this list, and the types of `ArmClients` offer no other groups.
import type { ComputeManagementClient } from '@azure/arm-compute'
import type { NetworkManagementClient } from '@azure/arm-network'

export const COMPUTE_GROUPS = [
  'communityGalleryImageVersions',
  'disks',
  'galleryImageVersions',
  'usage',
  'virtualMachines',
] as const satisfies readonly (keyof ComputeManagementClient)[]

export const NETWORK_GROUPS = [
  'loadBalancers',
  'networkInterfaces',
  'networkSecurityGroups',
  'subnets',
  'virtualNetworks',
] as const satisfies readonly (keyof NetworkManagementClient)[]

export type ComputeClient = Pick<ComputeManagementClient, (typeof COMPUTE_GROUPS)[number] | 'pipeline'>
export type NetworkClient = Pick<NetworkManagementClient, (typeof NETWORK_GROUPS)[number] | 'pipeline'>
