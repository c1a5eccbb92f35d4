// The paths of ARM that the emulator serves with code of its own. Other resources are served from the table of their types.
import { listAt, textAt } from '../json.ts'
import { skuRecord } from '../sizes/vmSize.ts'
import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError, notFound } from './armAnswer.ts'
import { clusterUserCredential } from './clusterCredential.ts'
import {
  calculateTemplateHash,
  getDeployment,
  getDeploymentStatus,
  listDeploymentOperations,
  listDeployments,
  putDeployment,
  validateDeployment,
  validateInGroup,
} from './deployments.ts'
import { deleteDisk, getDisk, listDisks, patchDisk } from './disks.ts'
import { DOCUMENT_TYPES, getDocument, listDocuments, PROVIDERS, placeOf } from './documents.ts'
import { putExtension } from './extensions.ts'
import { communityVersions, sharedVersions } from './galleries.ts'
import { deleteNic, getNic, nicBody, nicsOf, patchNic, putNic } from './networkInterfaces.ts'
import { getOperation, getOperationResult } from './operations.ts'
import { page } from './page.ts'
import { usages } from './quota.ts'
import { geoRegions, getProvider, listLocations, listResources, listTenants, permissions, registerProvider } from './subscriptionFacts.ts'
import { deleteVm, getInstanceView, getVm, patchVm, putVm, restartVm, simulateEviction, vmsOf } from './virtualMachines.ts'
import { vmBody } from './vmBody.ts'

/** One path of ARM that the emulator serves with code of its own. */
export type Route = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'PATCH' | 'DELETE' | 'POST'
  readonly path: string
  readonly type: string
  readonly handle: (arm: Arm, request: ArmRequest, params: Params) => ArmAnswer | Promise<ArmAnswer>
}
export type Params = { readonly [name: string]: string | undefined }

const GROUP = '/subscriptions/:subscription/resourceGroups/:group'
const VM = `${GROUP}/providers/Microsoft.Compute/virtualMachines`
const NIC = `${GROUP}/providers/Microsoft.Network/networkInterfaces`
const DISK = `${GROUP}/providers/Microsoft.Compute/disks`
const DEPLOYMENTS = '/subscriptions/:subscription/providers/Microsoft.Resources/deployments'
const LOCATION = '/subscriptions/:subscription/providers/:provider/locations/:location'

export const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/subscriptions/:subscription',
    type: 'subscriptions',
    handle: (arm) => ({ status: 200, body: subscription(arm) }),
  },
  {
    method: 'GET',
    path: '/subscriptions/:subscription/resourceGroups',
    type: 'resourceGroups',
    handle: (arm) => ({ status: 200, body: { value: [...new Set(groupsOf(arm))].map((name) => groupBody(arm, name)) } }),
  },
  { method: 'GET', path: GROUP, type: 'resourceGroups', handle: (arm, request) => ({ status: 200, body: groupBody(arm, request.group) }) },
  { method: 'HEAD', path: GROUP, type: 'resourceGroups', handle: () => ({ status: 204 }) },
  { method: 'GET', path: '/subscriptions/:subscription/providers/Microsoft.Compute/skus', type: 'skus', handle: skus },
  {
    method: 'GET',
    path: '/subscriptions/:subscription/providers/Microsoft.Compute/locations/:location/usages',
    type: 'usages',
    handle: (arm, request) => page(arm, request, usages(arm)),
  },
  { method: 'GET', path: `${LOCATION}/operations/:name`, type: 'operations', handle: getOperation },
  { method: 'GET', path: `${LOCATION}/operationResults/:name`, type: 'operations', handle: getOperationResult },
  {
    method: 'GET',
    path: VM,
    type: 'virtualMachines',
    handle: (arm, request) =>
      page(
        arm,
        request,
        vmsOf(arm, request.group).map((vm) => vmBody(arm, vm, false)),
      ),
  },
  { method: 'PUT', path: `${VM}/:name`, type: 'virtualMachines', handle: putVm },
  { method: 'GET', path: `${VM}/:name`, type: 'virtualMachines', handle: getVm },
  { method: 'GET', path: `${VM}/:name/instanceView`, type: 'virtualMachines', handle: getInstanceView },
  { method: 'PATCH', path: `${VM}/:name`, type: 'virtualMachines', handle: patchVm },
  { method: 'DELETE', path: `${VM}/:name`, type: 'virtualMachines', handle: deleteVm },
  { method: 'POST', path: `${VM}/:name/restart`, type: 'virtualMachines', handle: restartVm },
  { method: 'POST', path: `${VM}/:name/simulateEviction`, type: 'virtualMachines', handle: simulateEviction },
  {
    method: 'PUT',
    path: `${VM}/:name/extensions/:extension`,
    type: 'extensions',
    handle: (arm, request, params) => putExtension(arm, request, params['extension'] ?? ''),
  },
  {
    method: 'GET',
    path: '/subscriptions/:subscription/providers/Microsoft.Compute/locations/:location/communityGalleries/:gallery/images/:image/versions',
    type: 'communityGalleries',
    handle: communityVersions,
  },
  {
    method: 'GET',
    path: `${GROUP}/providers/Microsoft.Compute/galleries/:gallery/images/:image/versions`,
    type: 'galleries',
    handle: sharedVersions,
  },
  {
    method: 'GET',
    path: NIC,
    type: 'networkInterfaces',
    handle: (arm, request) =>
      page(
        arm,
        request,
        nicsOf(arm, request.group).map((nic) => nicBody(arm, nic)),
      ),
  },
  { method: 'GET', path: DISK, type: 'disks', handle: listDisks },
  { method: 'GET', path: `${DISK}/:name`, type: 'disks', handle: getDisk },
  { method: 'PATCH', path: `${DISK}/:name`, type: 'disks', handle: patchDisk },
  { method: 'DELETE', path: `${DISK}/:name`, type: 'disks', handle: deleteDisk },
  { method: 'PUT', path: `${NIC}/:name`, type: 'networkInterfaces', handle: putNic },
  { method: 'GET', path: `${NIC}/:name`, type: 'networkInterfaces', handle: getNic },
  { method: 'PATCH', path: `${NIC}/:name`, type: 'networkInterfaces', handle: patchNic },
  { method: 'DELETE', path: `${NIC}/:name`, type: 'networkInterfaces', handle: deleteNic },
  {
    method: 'GET',
    path: `${GROUP}/providers/Microsoft.Network/virtualNetworks/:network/subnets/:name`,
    type: 'subnets',
    handle: getSubnet,
  },
  { method: 'GET', path: '/subscriptions/:subscription/providers/:provider', type: 'providers', handle: getProvider },
  { method: 'POST', path: '/subscriptions/:subscription/providers/:provider/register', type: 'providers', handle: registerProvider },
  { method: 'GET', path: '/subscriptions/:subscription/providers/Microsoft.Web/geoRegions', type: 'geoRegions', handle: geoRegions },
  { method: 'GET', path: '/subscriptions', type: 'subscriptions', handle: (arm, request) => page(arm, request, [subscription(arm)]) },
  { method: 'GET', path: '/tenants', type: 'tenants', handle: listTenants },
  { method: 'GET', path: '/subscriptions/:subscription/locations', type: 'locations', handle: listLocations },
  { method: 'GET', path: `${GROUP}/resources`, type: 'resources', handle: listResources },
  { method: 'GET', path: DEPLOYMENTS, type: 'deployments', handle: listDeployments },
  { method: 'PUT', path: `${DEPLOYMENTS}/:name`, type: 'deployments', handle: putDeployment },
  { method: 'GET', path: `${DEPLOYMENTS}/:name`, type: 'deployments', handle: getDeployment },
  { method: 'POST', path: `${DEPLOYMENTS}/:name/validate`, type: 'deployments', handle: validateDeployment },
  {
    method: 'POST',
    path: `${GROUP}/providers/Microsoft.Resources/deployments/:name/validate`,
    type: 'deployments',
    handle: validateInGroup,
  },
  { method: 'GET', path: `${DEPLOYMENTS}/:name/operations`, type: 'deployments', handle: listDeploymentOperations },
  { method: 'GET', path: `${DEPLOYMENTS}/:name/operationStatuses/:status`, type: 'deployments', handle: getDeploymentStatus },
  { method: 'POST', path: '/providers/Microsoft.Resources/calculateTemplateHash', type: 'deployments', handle: calculateTemplateHash },
  ...permissionRoutes(),
  ...documentRoutes(),
  {
    method: 'POST',
    path: `${GROUP}/providers/Microsoft.ContainerService/managedClusters/:name/listClusterUserCredential`,
    type: 'managedClusters',
    handle: clusterUserCredential,
  },
]

/** Permissions can be asked for at a subscription, a group, a resource, and a part of a resource. */
function permissionRoutes(): readonly Route[] {
  const resource = `${GROUP}/providers/:provider/:type/:name`
  return ['/subscriptions/:subscription', GROUP, resource, `${resource}/:part/:partName`].map((scope) => ({
    method: 'GET',
    path: `${scope}/providers/Microsoft.Authorization/permissions`,
    type: 'permissions',
    handle: permissions,
  }))
}

function documentRoutes(): readonly Route[] {
  return DOCUMENT_TYPES.flatMap((type): readonly Route[] => {
    const path = `${GROUP}/providers/${PROVIDERS[type]}/${type}`
    return [
      { method: 'GET', path, type, handle: listDocuments(type) },
      { method: 'GET', path: `${path}/:name`, type, handle: getDocument(type) },
    ]
  })
}

/** Answers requests to ARM: checks token, roles, scripted faults, api-version, subscription and group, then asks the resource. */

/** The names of the resource groups: those of clusters, and those of deployments. */
export function groupsOf({ settings, state }: Arm): readonly string[] {
  return [...settings.resourceGroups, ...[...state.documents.values()].map(({ id }) => placeOf(id).group)]
}

function skus(arm: Arm, request: ArmRequest): ArmAnswer {
  const filter = request.query.get('$filter')
  const location = filter === null ? arm.settings.location : /^location eq '([^']+)'$/.exec(filter)?.[1]
  if (location === undefined) return armError(400, 'InvalidFilter', `The filter '${filter}' is not served; location eq '...' is.`)
  const isHere = location.toLowerCase() === arm.settings.location
  const disk = { resourceType: 'disks', name: 'Premium_LRS', tier: 'Premium', size: 'P10', locations: [arm.settings.location] }
  return page(arm, request, isHere ? [disk, ...[...arm.sizes.values()].map((size) => skuRecord(size, arm.settings.location))] : [])
}

function getSubnet(arm: Arm, request: ArmRequest, params: Params): ArmAnswer {
  const id = `/subscriptions/${arm.settings.subscriptionId}/resourceGroups/${request.group}/providers/Microsoft.Network/virtualNetworks/${params['network']}/subnets/${request.name}`
  const held = arm.state.documents.get(id.toLowerCase())
  if (held !== undefined) return { status: 200, body: held }
  if (id.toLowerCase() !== arm.settings.subnetId.toLowerCase())
    return notFound('Microsoft.Network/virtualNetworks/subnets', request.name, request.group)
  return {
    status: 200,
    body: {
      id: arm.settings.subnetId,
      name: request.name,
      type: 'Microsoft.Network/virtualNetworks/subnets',
      properties: { addressPrefix: `10.224.0.0/${prefixBits(arm)}`, ipConfigurations: usersOf(arm), provisioningState: 'Succeeded' },
    },
  }
}

/** The length of the smallest range with the addresses of the subnet. Azure keeps five of each range (docs of virtual networks, 2026-03). */
function prefixBits(arm: Arm): number {
  return 32 - Math.ceil(Math.log2(arm.settings.subnetAddresses + 5))
}

/** The configurations of interfaces in the subnet, as Azure lists them in the subnet: each with its id. */
function usersOf(arm: Arm): readonly object[] {
  return [...arm.state.nics.values()].flatMap((nic) =>
    listAt(nic.body, 'properties.ipConfigurations').map((each) => ({ id: `${nic.id}/ipConfigurations/${textAt(each, 'name')}` })),
  )
}

function subscription(arm: Arm): object {
  const { subscriptionId, tenantId } = arm.settings
  return { id: `/subscriptions/${subscriptionId}`, subscriptionId, tenantId, displayName: 'local', state: 'Enabled' }
}

function groupBody(arm: Arm, name: string): object {
  const id = `/subscriptions/${arm.settings.subscriptionId}/resourceGroups/${name}`
  const made = arm.state.documents.get(id.toLowerCase())
  if (made !== undefined) return made
  return {
    id,
    name,
    type: 'Microsoft.Resources/resourceGroups',
    location: arm.settings.location,
    properties: { provisioningState: 'Succeeded' },
  }
}
